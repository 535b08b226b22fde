import { redact } from "../../src/domain/credentials.ts";
import { onFirstUse } from "../../src/domain/on-first-use.ts";
import { wantsColour } from "../environment.ts";
import type { Failure } from "./failure.ts";
import { isTerminal, writeOut } from "./standard-output.ts";

/** Data goes to stdout, all else to stderr. */

/** How the answer of a command is wanted. */
export interface OutputOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export function print(text: string): void {
  writeOut(`${text}\n`);
}

/** Opened when there is something to write, which takes a millisecond. Where nobody reads it, there is nobody to tell. */
export const stderr = onFirstUse(() => process.stderr.on("error", () => {}));

/** For people who watch; never data. */
export function tell(text: string): void {
  stderr().write(`${text}\n`);
}

/** What went wrong where nobody waits for an answer. */
export function reportFault(error: unknown): void {
  tell(`momo: ${faultText(error)}`);
}

/** An error in one line: what happened, then its causes, each once and without a secret. */
export function faultText(error: unknown): string {
  const messages: string[] = [];
  let cause = error;
  for (let depth = 0; depth < MAX_CAUSES && cause !== undefined; depth += 1) {
    const message = plain(redact(cause instanceof Error ? cause.message : String(cause)));
    // Some errors repeat what caused them.
    if (!messages.some((said) => said.includes(message))) messages.push(message);
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return messages.join(": ");
}

/** Errors may cause each other in a circle. */
const MAX_CAUSES = 5;

/** JSON is indented for a reader at a terminal, and one line elsewhere. */
export function printJson(value: unknown): void {
  print(jsonText(value, isTerminal() ? 2 : 0));
}

/** JSON escapes the control characters below U+0020 by itself; a terminal obeys those above U+007E too. */
export function jsonText(value: unknown, indent = 0): string {
  return JSON.stringify(value, null, indent).replaceAll(
    /[\u007F-\u009F]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Loaded when there is something to say to people. */
const util = () => process.getBuiltinModule("node:util");

/** Text from elsewhere without what a terminal would obey. */
export function plain(text: string): string {
  return util()
    .stripVTControlCharacters(text)
    .replaceAll(/\p{Cc}/gu, "\u{FFFD}");
}

type Style = "bold" | "dim" | "green" | "red" | "yellow";

/** Coloured on a terminal that wants it, else as it is. */
export function styled(style: Style, text: string): string {
  return styledFor({ isTTY: isTerminal() }, style, text);
}

export function styledFor({ isTTY }: { readonly isTTY?: boolean }, style: Style, text: string): string {
  return isTTY && wantsColour() ? util().styleText(style, text, { validateStream: false }) : text;
}

/** Lines of a name and a value, aligned. */
export function printFields(fields: readonly (readonly [string, string | number])[]): void {
  const width = Math.max(...fields.map(([name]) => name.length));
  for (const [name, value] of fields) {
    print(`${styled("dim", plain(name).padEnd(width))}  ${plain(String(value))}`);
  }
}

/** Every line that the library would draw; columns stand two spaces apart. */
const NO_BORDERS = {
  top: "",
  "top-mid": "",
  "top-left": "",
  "top-right": "",
  bottom: "",
  "bottom-mid": "",
  "bottom-left": "",
  "bottom-right": "",
  left: "",
  "left-mid": "",
  mid: "",
  "mid-mid": "",
  right: "",
  "right-mid": "",
  middle: "  ",
};

/** Rows below their column names. */
export async function printTable(
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): Promise<void> {
  const { default: Table } = await import("cli-table3");
  const table = new Table({
    head: columns.map((column) => styled("bold", column)),
    chars: NO_BORDERS,
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(...rows.map((row) => row.map((cell) => plain(String(cell)))));
  print(
    table
      .toString()
      .split("\n")
      .map((line) => line.trimEnd())
      .join("\n"),
  );
}

/** A failure in the form that was asked for. */
export function tellFailure(failure: Failure, json: boolean): void {
  // A secret may have come in as the value of a wrong flag.
  const message = redact(failure.message);
  const hint = failure.hint && redact(failure.hint);
  if (json) {
    tell(jsonText({ error: { code: failure.code, message, hint } }));
    return;
  }
  tell(`momo: ${plain(message)}`);
  if (hint !== null) tell(`      ${plain(hint)}`);
}
