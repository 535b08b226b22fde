import { speaksUnicode } from "../environment.ts";
import { inLocale, plain } from "./plain.ts";

/** A question with choices. */
interface Choice {
  readonly message: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
}

/**
 * Opens the library that asks questions at a terminal. Text from elsewhere goes through {@link plain} first. Only commands that ask
 * load it: it takes 1 to 3 ms and 2 MB.
 */
export async function openDialogue() {
  const { confirm, select, text } = await import("@clack/prompts");
  const output = speaksUnicode() ? process.stderr : asciiStderr();
  return {
    confirm: (question: { message: string; initialValue: boolean }) => confirm({ ...question, output }),
    text: (question: Omit<Parameters<typeof text>[0], "output">) => text({ ...question, output }),
    select: ({ options, message }: Choice) =>
      select({ message, options: options.map(({ value, label }) => ({ value, label: plain(label) })), output }),
  };
}

/** The library draws frames, whatever the locale is. */
const asciiStderr = (): NodeJS.WriteStream =>
  Object.create(process.stderr, {
    write: { value: (drawn: string) => process.stderr.write(inLocale(drawn)) },
  }) as NodeJS.WriteStream;
