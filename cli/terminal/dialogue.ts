import { plain } from "./plain.ts";

/** A question with choices. */
interface Choice {
  readonly message: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly output?: NodeJS.WriteStream;
}

/**
 * Opens the library that asks questions at a terminal. Text from elsewhere goes through {@link plain} first. Only commands that ask
 * load it: it takes 1 to 3 ms and 2 MB.
 */
export async function openDialogue() {
  const { confirm, select, text } = await import("@clack/prompts");
  return {
    confirm,
    text,
    select: ({ options, ...question }: Choice) =>
      select({ ...question, options: options.map(({ value, label }) => ({ value, label: plain(label) })) }),
  };
}
