import type { Command } from "commander";
import { type Answer, type Client, controlClient, type SendOptions } from "../client/client.ts";
import { commandFor, resolveControl, type TargetFlags } from "../client/target.ts";
import { printRecord } from "../terminal/data.ts";
import { controlOptions, outputOptions, withOptions } from "../terminal/options.ts";
import { asksForJson, formatOf, type OutputOptions, print, printJson, printText, tell } from "../terminal/output.ts";

/** The shape of rules, default, faults, clock, webhooks and snapshot: each sub-command is one call of the control API. */

export type SteeringFlags = OutputOptions & Pick<TargetFlags, "baseUrl" | "data">;

/**
 * @param argument that of the sub-command, if it has one
 * @param write for a call that writes: names the first sub-command, which shows whether it was done
 */
type Call<F> = (client: Client, flags: F, argument: string, write: SendOptions) => Promise<Answer>;

/**
 * Adds sub-commands to a command.
 * @param show prints the answer of each
 */
export function steeringCommand<F extends SteeringFlags>(
  command: Command,
  show: (answer: Answer, flags: F, argument: string) => void,
  essential?: string,
) {
  return (name: string, summary: string, call: Call<F>, shows = show): Command => {
    const sub = withOptions(
      command.command(name).description(summary),
      ...controlOptions(),
      ...outputOptions(essential),
    );
    return sub.action(async (...given: unknown[]) => {
      const flags = sub.opts<F>();
      const argument = String(given[0]);
      const write = { checkWith: commandFor(flags, command.name(), command.commands[0]?.name() ?? "") };
      shows(await call(controlClient(resolveControl(flags)), flags, argument, write), flags, argument);
    });
  };
}

/** Tells what was done. It is no data, so stdout has it only as JSON. */
export function tellAnswer(answer: Answer, flags: OutputOptions, essential: unknown): void {
  if (flags.quiet) print(String(essential));
  else if (asksForJson(flags)) printJson(answer);
  else tell(answer.message);
}

/** Prints the message for people, and the whole answer for programs. */
export function showAnswer(answer: Answer, flags: OutputOptions, essential: unknown): void {
  if (!flags.quiet && formatOf(flags) === "table") printText(answer.message);
  else printRecord(answer, flags, String(essential));
}
