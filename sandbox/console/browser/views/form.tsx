import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, InputHTMLAttributes, SelectHTMLAttributes, VNode } from "preact";
import { setting } from "../actions.ts";
import { api, Refused } from "../api.ts";
import { NO_PROBLEMS, type Problems, problemsOf } from "../logic/problems.ts";
import { outcomes } from "../state.ts";
import type { ApiCall } from "../wire.ts";

/** A call that a form makes. */
interface FormCall {
  readonly problems: Problems;
  readonly isUnderWay: boolean;
  /** @returns whether it succeeded */
  run(call: () => Promise<unknown>): Promise<boolean>;
}

/**
 * A refusal is shown beside the fields that it names.
 * @param names the members of the API that have a field on the form
 */
export function useCall(names: readonly string[] = []): FormCall {
  const problems = useSignal(NO_PROBLEMS);
  const isUnderWay = useSignal(false);
  return {
    problems: problems.value,
    isUnderWay: isUnderWay.value,
    async run(call: () => Promise<unknown>): Promise<boolean> {
      if (isUnderWay.value) return false;
      isUnderWay.value = true;
      try {
        await call();
        problems.value = NO_PROBLEMS;
        return true;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        problems.value = problemsOf(error, names);
        return false;
      } finally {
        isUnderWay.value = false;
      }
    },
  };
}

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly type?: InputHTMLAttributes["type"];
  readonly problem: string | undefined;
  readonly children: ComponentChildren;
}

/** A control with its label, and what is wrong with it. */
export const Field = ({ id, label, type, problem, children }: FieldProps) => (
  <div class={`field ${type ?? ""}`}>
    <label for={id}>{label}</label>
    {children}
    {problem && (
      <p class="problem" id={`${id}-problem`}>
        {problem}
      </p>
    )}
  </div>
);

export const describedBy = (id: string, problem: string | undefined) =>
  problem !== undefined && { "aria-invalid": true, "aria-describedby": `${id}-problem` };

export type Draft<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** What a field of a form gives to its control. */
type FieldFacts = Pick<InputHTMLAttributes, "id" | "name" | "value" | "aria-invalid" | "aria-describedby">;

/** A call, and the fields for its members. */
export interface Form<Name extends string> extends FormCall {
  /** The typed text, without spaces around it. */
  readonly values: Readonly<Record<Name, string>>;
  input(name: Name, attributes?: InputHTMLAttributes): VNode;
  select(name: Name, options: readonly Choice[], attributes?: SelectHTMLAttributes): VNode;
  clear(): void;
}

/**
 * @param form makes ids unique if two forms have a field with the same name
 * @param labels by the name of the member in the API
 * @param first the text of a field before the person types
 * @param draft the typed text; given, if it stays when the form is left
 */
export function useForm<Name extends string>(
  form: string,
  labels: Readonly<Record<Name, string>>,
  first?: Draft<Name>,
  draft: Signal<Draft<Name>> = useSignal({} as Draft<Name>),
): Form<Name> {
  const names = Object.keys(labels) as Name[];
  const call = useCall(names);
  const typed = (name: Name): string => draft.value[name] ?? first?.[name] ?? "";
  function field(name: Name, control: (facts: FieldFacts) => VNode): VNode {
    const id = `${form}-${name}`;
    const problem = call.problems.fields[name];
    return (
      <Field key={name} id={id} label={labels[name]} problem={problem}>
        {control({ id, name, value: typed(name), ...describedBy(id, problem) })}
      </Field>
    );
  }
  const take = (name: Name) => (event: { readonly currentTarget: { readonly value: string } }) => {
    draft.value = { ...draft.value, [name]: event.currentTarget.value };
  };
  return {
    ...call,
    values: Object.fromEntries(names.map((name) => [name, typed(name).trim()])) as Record<Name, string>,
    input: (name: Name, attributes?: InputHTMLAttributes) =>
      field(name, (facts) => <input {...attributes} {...facts} onInput={take(name)} />),
    select: (name: Name, options: readonly Choice[], attributes?: SelectHTMLAttributes) =>
      field(name, (facts) => (
        <select {...attributes} {...facts} onChange={take(name)}>
          <Options of={options} />
        </select>
      )),
    clear: setting(draft, {} as Draft<Name>),
  };
}

/** Problems that belong to no field. */
export function FormProblem({ problems }: { problems: Problems }) {
  return <div role="alert">{problems.rest && <p class="problem">{problems.rest}</p>}</div>;
}

/** A submit handler that runs a function instead of sending the form. */
export function submits(run: () => Promise<unknown>): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    void run();
  };
}

/** The answer may come between the two clicks, and the second one must not make the call again. */
function oncePerDoubleClick(event: MouseEvent): void {
  if (event.detail > 1) event.preventDefault();
}

interface CallFormProps<Answer> {
  readonly form: Form<never>;
  readonly call: ApiCall;
  readonly action: string;
  /** Whether the fields stay as they are after the call. */
  readonly keeps?: boolean;
  readonly onDone?: (answer: Answer) => void;
  readonly children: ComponentChildren;
}

/** Fields in a row, the button that makes the call and empties them, and its problems. */
export function CallForm<Answer>({ form, call, action, keeps, onDone, children }: CallFormProps<Answer>) {
  const submit = () =>
    form.run(async () => {
      const answer = await api.call<Answer>(call);
      if (!keeps) form.clear();
      onDone?.(answer);
    });
  return (
    <>
      <form class="row" onSubmit={submits(submit)}>
        {children}
        <button type="submit" onClick={oncePerDoubleClick}>
          {action}
        </button>
      </form>
      <FormProblem problems={form.problems} />
    </>
  );
}

/** A choice of a select: its value, and its label if that is another text. */
export type Choice = string | readonly [value: string | number, label: string];

export const ANY: Choice = ["", "any"];

export function Options({ of }: { of: readonly Choice[] }) {
  const pairs = of.map((one) => (typeof one === "string" ? ([one, one] as const) : one));
  return (
    <>
      {pairs.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </>
  );
}

export const outcomeChoices = (of = outcomes.value): Choice[] =>
  of.map(({ name, meaning }) => [name, `${name} – ${meaning}`]);
