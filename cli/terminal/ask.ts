import { visible } from "../../src/domain/visible.ts";
import { EXIT, Failure } from "./failure.ts";
import { asksForJson, type Output, type OutputOptions } from "./output.ts";

/** The library that asks questions at a terminal, on stderr. It is loaded for a question only: loading it takes 5 of the 38 ms of `momo pay`. */
const dialogue = () => import("@clack/prompts");

/** Whether a person is at the terminal. */
export const isAttended = ({ stdout, environment }: Output): boolean =>
  stdout.isTerminal() && process.stdin.isTTY && !environment.isCi();

/**
 * Says what will be lost, and asks whether to go on. Ends the process if the answer is no. Without a
 * person it does not ask.
 * @param lost called only if the question is asked
 */
export async function askToGoOn(
  out: Output,
  lost: () => readonly string[] | Promise<readonly string[]>,
  { yes, ...options }: OutputOptions & { yes?: true },
): Promise<void> {
  if (yes || !canAsk(out, { json: asksForJson(options) })) return;
  for (const line of await lost()) out.tell(line);
  const { confirm } = await dialogue();
  const goesOn = answered(await confirm({ message: "Go on?", initialValue: false, output: process.stderr }));
  if (goesOn) return;
  out.tell("Nothing was changed.");
  process.exit(EXIT.unexpected);
}

/** With --json the caller is a program, or a person who wants to see what a program sees. */
export const canAsk = (out: Output, { json }: { json: boolean }): boolean => isAttended(out) && !json;

/** A question in place of a missing flag. */
interface Question {
  /** The flag that gives the answer. */
  readonly flag: string;
  readonly message: string;
  readonly json: boolean;
  /** What Enter alone answers. */
  readonly initial?: string;
  /** Throws if the answer is not valid. */
  readonly check?: (text: string) => unknown;
}

/**
 * Asks for a line of text.
 * @throws Failure `usage` that names the flag, if no person is there
 */
export async function askText(out: Output, { flag, message, json, initial, check }: Question): Promise<string> {
  if (!canAsk(out, { json })) throw missing(flag);
  const { text } = await dialogue();
  const validate = (line = initial) => {
    if (!line?.trim()) return "Please enter something";
    try {
      check?.(line);
    } catch (error) {
      return (error as Error).message;
    }
    return undefined;
  };
  const hint = initial === undefined ? {} : { placeholder: initial, defaultValue: initial };
  return answered(await text({ message, validate, output: process.stderr, ...hint }));
}

/** Asks for one of several. Does not ask if there is only one; returns the first if no person is there. */
export async function askWhich<T>(
  out: Output,
  { message, json }: Omit<Question, "flag">,
  choices: readonly { readonly value: T; readonly label: string }[],
): Promise<T | null> {
  const [first] = choices;
  if (!first || choices.length === 1 || !canAsk(out, { json })) return first?.value ?? null;
  const { select } = await dialogue();
  const options = choices.map(({ label }, index) => ({ value: String(index), label: visible(label) }));
  const chosen = answered(await select({ message, options, output: process.stderr }));
  return choices[Number(chosen)]?.value ?? null;
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer === "symbol") process.exit(EXIT.interrupted); // Ctrl+C
  return answer as Exclude<T, symbol>;
}

const missing = (flag: string) =>
  new Failure("usage", `${flag} is missing`, "give it, or run the command at a terminal");
