import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Refused, ServerLost } from "../control-client.ts";
import { type Problems, problemsOf } from "../logic/problems.ts";

const NONE: Problems = { fields: {}, rest: null };

/** A call that a form makes. Refusals of the API are shown beside the fields that they name. */
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
  /** The name of the member in the API. */
  readonly name: string;
  readonly label: string;
  readonly problems: Problems;
  readonly hint?: string;
  /** Makes ids unique if two forms have a field with the same name. */
  readonly form: string;
  readonly children: (input: InputFacts) => ComponentChildren;
}

interface InputFacts {
  readonly id: string;
  readonly name: string;
  readonly "aria-invalid"?: "true";
  readonly "aria-describedby"?: string;
}

/** A label, the input, and its problem. */
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

/** Problems that belong to no field. */
export function FormProblem({ problems }: { problems: Problems }) {
  return <div role="alert">{problems.rest && <p class="problem">{problems.rest}</p>}</div>;
}

/** A submit handler: the page sends the form itself. */
export function submits(run: () => Promise<void>): (event: Event) => void {
  return (event) => {
    event.preventDefault();
    void run();
  };
}

/** A typed value for JSON: a number if it is one, otherwise the text, so that the API refuses it. */
export function numberOrText(text: string): number | string {
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}
