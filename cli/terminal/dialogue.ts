import { plain } from "./plain.ts";

/** What a person is asked, to choose from. */
interface Choice {
  readonly message: string;
  readonly options: readonly { readonly value: string; readonly label: string }[];
  readonly output?: NodeJS.WriteStream;
  readonly signal?: AbortSignal;
}

/**
 * The library that asks a person at a terminal. Text from elsewhere goes through {@link plain} first. Loading it takes 2–3 ms,
 * so only commands that ask do.
 */
export async function openDialogue() {
  const { intro, isCancel, log, note, outro, password, select, text } = await import("@clack/prompts");
  const tell = (write: (line: string) => void) => (line: string) => write(plain(line));
  return {
    isCancel,
    password,
    text,
    intro: tell(intro),
    outro: tell(outro),
    info: tell(log.info),
    step: tell(log.step),
    success: tell(log.success),
    warn: tell(log.warn),
    note: (lines: readonly string[], title: string) => note(lines.map(plain).join("\n"), plain(title)),
    select: ({ options, ...question }: Choice) =>
      select({ ...question, options: options.map(({ value, label }) => ({ value, label: plain(label) })) }),
  };
}
