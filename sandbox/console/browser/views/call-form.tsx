import type { ComponentChildren } from "preact";
import { api } from "../api.ts";
import { type Command, CommandLines } from "./commands.tsx";
import { type Call, FormProblem, submits } from "./form.tsx";

interface CallFormProps<Answer> {
  readonly call: Call;
  readonly command: Command;
  readonly action: string;
  /** Whether a field that the command needs is still empty. */
  readonly isIncomplete?: boolean;
  readonly onDone: (answer: Answer) => void;
  readonly children: ComponentChildren;
}

/** Fields in a row, the button that makes the call, its problems, and the commands that do the same. */
export function CallForm<Answer>({ call, command, action, isIncomplete, onDone, children }: CallFormProps<Answer>) {
  const submit = () => call.run(async () => onDone(await api.call<Answer>(command)));
  return (
    <>
      <form class="row" onSubmit={submits(submit)}>
        {children}
        <button type="submit">{action}</button>
      </form>
      <FormProblem problems={call.problems} />
      {!isIncomplete && <CommandLines command={command} />}
    </>
  );
}
