import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Refused, ServerLost } from "../control-client.ts";
import { type Problems, problemsOf } from "../logic/problems.ts";

const NONE: Problems = { fields: {}, rest: null };

/** A call that a form makes: what the API says against it stands next to the fields it is about. */
export interface Call {
  readonly problems: Problems;
  readonly isUnderWay: boolean;
  /** @returns whether it succeeded */
  run(call: () => Promise<unknown>): Promise<boolean>;
}

/** @param names the members of the API that have a field on the form */
export function useCall(names: readonly string[]): Call {
  const problems = useSignal(NONE);
  const isUnderWay = useSignal(false);
  return {
    problems: problems.value,
    isUnderWay: isUnderWay.value,
    async run(call) {
      if (isUnderWay.value) return false;
      isUnderWay.value = true;
      try {
        await call();
        problems.value = NONE;
        return true;
      } catch (error) {
        if (!(error instanceof Refused || error instanceof ServerLost)) throw error;
        problems.value = problemsOf(error.message, names);
        return false;
      } finally {
        isUnderWay.value = false;
      }
    },
  };
}

export interface FieldProps {
  /** As the API names the member. */
  readonly name: string;
  readonly label: string;
  readonly problems: Problems;
  readonly hint?: string;
  /** Ids must differ where two forms have a field of the same name. */
  readonly form: string;
  readonly children: (input: InputFacts) => ComponentChildren;
}

interface InputFacts {
  readonly id: string;
  readonly name: string;
  readonly "aria-invalid"?: "true";
  readonly "aria-describedby"?: string;
}

/** A label, the input, and what is wrong with it. */
export function Field({ name, label, problems, hint, form, children }: FieldProps) {
  const id = `${form}-${name}`;
  const problem = problems.fields[name];
  const described = [...(problem ? [`${id}-problem`] : []), ...(hint ? [`${id}-hint`] : [])].join(" ");
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        name,
        ...(problem && { "aria-invalid": "true" }),
        ...(described && { "aria-describedby": described }),
      })}
      {problem && (
        <p class="problem" id={`${id}-problem`}>
          {problem}
        </p>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

/** What the API says that is about no field. */
export function FormProblem({ problems }: { problems: Problems }) {
  return <div role="alert">{problems.rest && <p class="problem">{problems.rest}</p>}</div>;
}

/** A form that the page sends by itself. */
export function submits(run: () => Promise<void>): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    void run();
  };
}

/** What a field says, as JSON has it: a number where it is one, else the text as it was typed, for the API to judge. */
export function numberOrText(text: string): number | string {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
