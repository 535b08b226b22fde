import { type Signal, useSignal } from "@preact/signals";
import type { ComponentChildren, InputHTMLAttributes, SelectHTMLAttributes, TargetedEvent, VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { setting } from "../actions.ts";
import { api, Refused } from "../api.ts";
import { connection, isLoaded } from "../asking.ts";
import { NO_PROBLEMS, type Problems, problemsOf } from "../logic/problems.ts";
import { outcomes } from "../state.ts";
import type { ApiCall } from "../wire.ts";

/** A call that a form makes. */
export interface FormCall {
  readonly problems: Problems;
  /** Ignored while a call is under way. @returns whether it succeeded */
  run(call: () => Promise<unknown>): Promise<boolean>;
  /** Removes the problem of a field whose text changes. */
  forget(name: string): void;
}

/** What the page itself sees at a field, before it asks the API. */
export class FieldProblem extends Error {
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

/**
 * A refusal is shown beside the fields that it names.
 * @param names the members of the API that have a field on the form
 */
export function useCall(names: readonly string[] = []): FormCall {
  const problems = useSignal(NO_PROBLEMS);
  // No button is disabled meanwhile: it would lose the focus.
  const isUnderWay = useRef(false);
  // What was refused before a reset does not matter; before the connection was lost, perhaps another server refused it.
  useEffect(() => setting(problems, NO_PROBLEMS)(), [connection.value === "lost"]);
  useEffect(() => {
    if (!isLoaded.value) problems.value = NO_PROBLEMS;
  }, [isLoaded.value]);
  return {
    problems: problems.value,
    forget(name: string) {
      const { [name]: _, ...fields } = problems.value.fields;
      problems.value = { fields, rest: null };
    },
    async run(call: () => Promise<unknown>): Promise<boolean> {
      if (isUnderWay.current) return false;
      isUnderWay.current = true;
      try {
        await call();
        problems.value = NO_PROBLEMS;
        return true;
      } catch (error) {
        if (error instanceof FieldProblem) problems.value = { fields: { [error.field]: error.message }, rest: null };
        else if (error instanceof Refused) problems.value = problemsOf(error, names);
        else throw error;
        return false;
      } finally {
        isUnderWay.current = false;
      }
    },
  };
}

interface FieldProps {
  readonly id: string;
  readonly label: string;
  readonly type?: InputHTMLAttributes["type"];
  readonly children: ComponentChildren;
}

/** A control with its label. What is wrong with it stands below the form, so that no field moves. */
const Field = ({ id, label, type, children }: FieldProps) => (
  <div class={`field ${type ?? ""}`}>
    <label for={id}>{label}</label>
    {children}
  </div>
);

const describedBy = (id: string, problem: string | undefined) =>
  problem !== undefined && { "aria-invalid": true, "aria-describedby": `${id}-problem` };

/** What connects a control with a text of the page. */
export interface Bound {
  readonly id: string;
  readonly value: string;
  readonly onInput: (event: TargetedEvent<HTMLInputElement | HTMLSelectElement>) => void;
  readonly problem?: string | undefined;
}

export const bound = (id: string, value: string, set: (value: string) => void, problem?: string): Bound => ({
  id,
  value,
  onInput: ({ currentTarget }) => set(currentTarget.value),
  problem,
});

type TextFieldProps = { readonly label: string } & Bound & InputHTMLAttributes<HTMLInputElement>;

export const TextField = ({ label, problem, ...input }: TextFieldProps) => (
  <Field id={input.id} type={input.type} label={label}>
    <input type="text" {...input} {...describedBy(input.id, problem)} />
  </Field>
);

type SelectFieldProps = { readonly label: string; readonly of: readonly Choice[] } & Bound &
  SelectHTMLAttributes<HTMLSelectElement>;

export function SelectField({ label, of, problem, ...select }: SelectFieldProps) {
  const pairs = of.map((one) => (typeof one === "string" ? ([one, one] as const) : one));
  return (
    <Field id={select.id} label={label}>
      <select {...select} {...describedBy(select.id, problem)}>
        {pairs.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  );
}

export type Draft<Name extends string> = Readonly<Partial<Record<Name, string>>>;

/** A call, and the fields for its members. */
export interface Form<Name extends string> extends FormCall {
  /** The typed text, without spaces around it. */
  readonly values: Readonly<Record<Name, string>>;
  input(name: Name, attributes?: InputHTMLAttributes): VNode;
  select(name: Name, options: readonly Choice[], attributes?: SelectHTMLAttributes): VNode;
  problem(): VNode;
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
  const set = (name: Name) => (text: string) => {
    call.forget(name);
    draft.value = { ...draft.value, [name]: text };
  };
  const bind = (name: Name) => ({
    ...bound(`${form}-${name}`, typed(name), set(name), call.problems.fields[name]),
    key: name,
    name,
    label: labels[name],
  });
  return {
    ...call,
    values: Object.fromEntries(names.map((name) => [name, typed(name).trim()])) as Record<Name, string>,
    input: (name: Name, attributes?: InputHTMLAttributes) => <TextField {...attributes} {...bind(name)} />,
    select: (name: Name, options: readonly Choice[], attributes?: SelectHTMLAttributes) => (
      <SelectField {...attributes} of={options} {...bind(name)} />
    ),
    problem: () => <FormProblem problems={call.problems} form={form} labels={labels} />,
    clear: setting(draft, {} as Draft<Name>),
  };
}

interface FormProblemProps {
  readonly problems: Problems;
  /** The beginning of the ids of the fields. */
  readonly form?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export const FormProblem = ({ problems: { fields, rest }, form = "", labels = {} }: FormProblemProps) => (
  <div role="alert">
    {Object.entries(fields).map(([name, words]) => (
      <p key={name} class="problem" id={`${form}-${name}-problem`}>
        {labels[name]}: {words}
      </p>
    ))}
    {rest && <p class="problem">{rest}</p>}
  </div>
);

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
  readonly onDone?: (answer: Answer) => unknown;
  readonly children: ComponentChildren;
}

/** Fields in a row, the button that makes the call and empties them, and its problems. */
export function CallForm<Answer>({ form, call, action, keeps, onDone, children }: CallFormProps<Answer>) {
  const submit = () =>
    form.run(async () => {
      const answer = await api.call<Answer>(call);
      if (!keeps) form.clear();
      await onDone?.(answer);
    });
  return (
    <>
      <form class="row" onSubmit={submits(submit)}>
        {children}
        <button type="submit" onClick={oncePerDoubleClick}>
          {action}
        </button>
      </form>
      {form.problem()}
    </>
  );
}

/** A choice of a select: its value, and its label if that is another text. */
export type Choice = string | readonly [value: string | number, label: string];

export const ANY: Choice = ["", "any"];

/** A first choice that is none: the person must choose. */
export const CHOOSE: Choice = ["", "choose …"];

/** `insufficient_funds – failed: the balance is too low` */
export const outcomeChoices = (of = outcomes.value) =>
  of.map(({ name, status, meaning }) => {
    const ends = status === null || status === name ? "" : `${status}: `;
    return [name, `${name} – ${ends}${meaning}`] as const;
  });
