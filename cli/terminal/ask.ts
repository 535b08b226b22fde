import { isCi } from "../environment.ts";
import { openDialogue } from "./dialogue.ts";
import { EXIT, Failure } from "./failure.ts";
import { asksForJson, type OutputOptions, tell } from "./output.ts";

/** Whether a person is there, who can be asked. */
export const isAttended = (): boolean => Boolean(process.stdin.isTTY && process.stdout.isTTY) && !isCi();

/**
 * Says what is lost, and asks whether to go on; the process ends where the answer is no. Nobody is asked where nobody could
 * answer: a script has said what it wants.
 * @param lost called only where somebody is asked
 */
export async function askToGoOn(
  lost: () => readonly string[] | Promise<readonly string[]>,
  { yes, ...output }: OutputOptions & { yes?: true },
): Promise<void> {
  if (yes || !canAsk({ json: asksForJson(output) })) return;
  for (const line of await lost()) tell(line);
  const { confirm } = await openDialogue();
  const goesOn = answered(await confirm({ message: "Go on?", initialValue: false, output: process.stderr }));
  if (goesOn) return;
  tell("Nothing was changed.");
  process.exit(EXIT.unexpected);
}

/** Who asks for JSON is a program, or wants to see what one would. */
const canAsk = ({ json }: { json: boolean }): boolean => isAttended() && !json;

/** What is asked for where a flag is missing. */
interface Question {
  /** The flag that answers it beforehand. */
  readonly flag: string;
  readonly message: string;
  readonly json: boolean;
}

/**
 * A line of text.
 * @throws Failure `usage` that names the flag, where nobody can be asked
 */
export async function askText({ flag, message, json }: Question): Promise<string> {
  if (!canAsk({ json })) throw missing(flag);
  const { text } = await openDialogue();
  return answered(
    await text({
      message,
      output: process.stderr,
      validate: (line) => (line?.trim() ? undefined : "Please enter something"),
    }),
  );
}

/** One of several; the only one is taken unasked, and so is the first where nobody can be asked. */
export async function askWhich<T>(
  { message, json }: Omit<Question, "flag">,
  choices: readonly { readonly value: T; readonly label: string }[],
): Promise<T | null> {
  const [first] = choices;
  if (!first || choices.length === 1 || !canAsk({ json })) return first?.value ?? null;
  const { select } = await openDialogue();
  const options = choices.map(({ label }, index) => ({ value: String(index), label }));
  const chosen = answered(await select({ message, options, output: process.stderr }));
  return choices[Number(chosen)]?.value ?? null;
}

function answered<T>(answer: T): Exclude<T, symbol> {
  if (typeof answer === "symbol") process.exit(EXIT.interrupted); // Ctrl+C
  return answer as Exclude<T, symbol>;
}

const missing = (flag: string) =>
  new Failure("usage", `${flag} is missing`, "give it, or run the command at a terminal");
