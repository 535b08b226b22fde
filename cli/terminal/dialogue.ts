import { plain } from "./plain.ts";

/** What a person is asked, to choose from. */
interface Choice {
  readonly message: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly output?: NodeJS.WriteStream;
}

/** The library that asks a person at a terminal; of text from elsewhere it gets only what {@link plain} leaves. */
export async function openDialogue() {
  const { confirm, select, text } = await import("@clack/prompts");
  return {
    confirm,
    text,
    select: ({ options, ...question }: Choice) =>
      select({ ...question, options: options.map(({ value, label }) => ({ value, label: plain(label) })) }),
  };
}
