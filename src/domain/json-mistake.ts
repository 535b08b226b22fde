import { redact } from "./redact.ts";

/** Where a text stops being JSON, and the likely mistake. */
export interface JsonMistake {
  readonly at: number;
  readonly what: string;
}

const SPACE = /[ \t\n\r]*/y;
const STRING_START = /"(?:[^"\\\p{Cc}]+|[\u{7F}-\u{9F}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/uy;
const SCALAR = /(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?![\w.+-])/y;

type Due = "value" | "name" | "colon" | "comma" | "end";

/** Finds the first mistake in a text that `JSON.parse` refuses; null if there is none. Without recursion, because a text can be deep. */
export function findJsonMistake(text: string): JsonMistake | null {
  const open: string[] = [];
  let due: Due = "value";
  let mayClose = false;
  let at = 0;
  for (;;) {
    at = skip(SPACE, text, at);
    const character = text[at];
    const closing = open.at(-1);
    if (due === "end" && character === undefined) return null;
    if (character === undefined) return { at, what: cutOff(open) };
    const afterValue: Due = open.length > 0 ? "comma" : "end";
    if (character === closing && (due === "comma" || mayClose)) {
      open.pop();
      [at, due] = [at + 1, open.length > 0 ? "comma" : "end"];
    } else if (due === "comma" && character === ",") [at, due] = [at + 1, closing === "}" ? "name" : "value"];
    else if (due === "colon" && character === ":") [at, due] = [at + 1, "value"];
    else if ((due === "name" || due === "value") && character === '"') {
      const end = skip(STRING_START, text, at);
      if (text[end] !== '"') return { at: end, what: brokenString(text[end]) };
      [at, due] = [end + 1, due === "name" ? "colon" : afterValue];
    } else if (due === "value" && (character === "{" || character === "[")) {
      open.push(character === "{" ? "}" : "]");
      [at, due, mayClose] = [at + 1, character === "{" ? "name" : "value", true];
      continue;
    } else if (due === "value" && skip(SCALAR, text, at) > at) [at, due] = [skip(SCALAR, text, at), afterValue];
    else return { at, what: meant(text, at, due, closing) };
    mayClose = false;
  }
}

function skip(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

const MOST_MISSING = 10;

function cutOff(open: readonly string[]): string {
  const missing = open.slice(-MOST_MISSING).reverse().join("") + (open.length > MOST_MISSING ? "…" : "");
  return `it is cut off${missing && `: ${missing} is missing`}`;
}

function brokenString(character: string | undefined): string {
  if (character === undefined) return "a text has no closing quote, or it is cut off";
  if (character === "\\") return "this is not a JSON escape: write \\\\ for a backslash";
  return `a text has a raw ${character === "\n" || character === "\r" ? "line break: write \\n" : "control character: escape it"}`;
}

/** Mistakes by what comes, wherever a value, a name or a sign is expected. */
const MEANT: readonly (readonly [RegExp, string])[] = [
  [/^(?:\/\/|\/\*|#)/, "JSON has no comments"],
  [/^-?0[0-9]/, 'a number has no leading zero: a phone is a text in quotes, "07…"'],
  [/^-?(?:NaN|Infinity)\b/, "JSON has no NaN and no Infinity"],
  [/^(?:undefined|None|nil)\b/, "JSON writes null"],
  [/^(?:True|False|TRUE|FALSE)\b/, "JSON writes true and false in lower case"],
  [/^\+/, 'a number has no plus sign: a phone is a text in quotes, "07…"'],
  [/^\.|^-?[0-9]+\.(?![0-9])/, "this is not a JSON number"],
  [/^['‘’“”`]/u, 'quotes of JSON are "'],
];

function meant(text: string, at: number, due: Due, closing: string | undefined): string {
  const rest = text.slice(at, at + 20);
  const isAfterComma = text.slice(0, at).trimEnd().endsWith(",");
  if (isAfterComma && (rest.startsWith("}") || rest.startsWith("]")))
    return `there is an extra comma before ${rest[0]}`;
  if (due === "name" && isAfterComma && /^[0-9]{3}/.test(rest)) return "a number has no commas: write 1000";
  const known = MEANT.find(([pattern]) => pattern.test(rest));
  if (known) return known[1];
  if (due === "end") return "there is more after its end";
  if (due === "colon") return "a colon is missing";
  if (due === "comma") return /^[}\]]/.test(rest) ? `${closing} is expected here` : `a comma or ${closing} is missing`;
  return due === "name"
    ? "a name in double quotes is expected here"
    : "a value is expected here; a text needs double quotes";
}

/** The characters around a mistake, without secrets. */
export function around(text: string, { at }: JsonMistake): string {
  const [before, after] = [redact(text.slice(0, at)), redact(text.slice(at))];
  return `${before.length > 15 ? "…" : ""}${before.slice(-15)}${after.slice(0, 15)}${after.length > 15 ? "…" : ""}`.toWellFormed();
}

/** In which line and column a mistake is, both from 1. */
export function lineAndColumn(text: string, at: number): string {
  const lines = text.slice(0, at).split("\n");
  return `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
}

/** Whether bytes, read as UTF-8, look like UTF-16: PowerShell writes it with `>`. */
export const looksLikeUtf16 = (text: string): boolean => /^(?:\u{FFFD}{2}|.\0|\0.)/su.test(text);
