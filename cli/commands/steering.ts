import type { Command, Option } from "commander";
import { type Client, controlOf } from "../client/client.ts";
import type { Answer, SendOptions } from "../client/request.ts";
import { type ControlFlags, commandFor } from "../client/target.ts";
import type { Io } from "../io.ts";
import { controlOptions, outputOptions, withOptions } from "../terminal/options.ts";
import { asksForJson, type Output, type OutputOptions } from "../terminal/output.ts";

/** Commands that each send one call of the control API, and show its answer. */

export interface Flags extends OutputOptions, ControlFlags {}

/** Refuses a wrong command line, before a server is looked for. @param argument that of the command, if it has one */
export type Call<F extends Flags> = (flags: F, argument: string) => (client: Client) => Promise<Answer>;

export type Show = (io: Io, answer: Answer, flags: Flags, argument: string) => void;

/** How a command reaches the control API, and the options that say where it is. */
export interface Way<F> {
  readonly reach: (io: Io, flags: F, work: (client: Client) => Promise<Answer>, usual: SendOptions) => Promise<Answer>;
  readonly options: () => readonly Option[];
}

export const OVER_HTTP: Way<Flags> = {
  reach: (io, flags, work, usual) => work(controlOf(io, flags, usual)),
  options: controlOptions,
};

/**
 * Makes a command send a call.
 * @param essential what `-q` prints, in the help
 * @param words those of the command that shows whether a write was done
 */
export function steer<F extends Flags>(
  io: Io,
  command: Command,
  { reach, options }: Way<F>,
  essential: string,
  words: readonly string[],
  call: Call<F>,
  show: Show,
): Command {
  withOptions(command, ...options(), ...outputOptions(essential));
  return command.action(async (...given: unknown[]) => {
    const flags = command.opts<F>();
    const argument = command.registeredArguments.length > 0 ? String(given[0]) : "";
    const ifLost = { checkWith: commandFor(flags, ...words) };
    show(io, await reach(io, flags, call(flags, argument), { ifLost }), flags, argument);
  });
}

/** What a command has that no row can say. */
export interface Own {
  /** Adds its arguments and options. */
  readonly prepare?: (command: Command) => void;
  /** Makes the body. */
  readonly sends?: (flags: Readonly<Record<string, unknown>>, argument: string) => object;
  readonly show?: Show;
}

/** Tells what was done. It is no data, so stdout has it only as JSON. */
export function tellAnswer(out: Output, answer: Answer, flags: OutputOptions, essential: unknown): void {
  if (flags.quiet) out.print(String(essential));
  else if (asksForJson(flags)) out.printJson(answer);
  else out.tell(answer.message);
}
