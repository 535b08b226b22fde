import { speaksUnicode } from "../environment.ts";

/** The characters of momo's own texts, and below each one what people see where the locale has only ASCII. */
const CHARACTERS = "✓✗•—█↑↓│└◆◇●○▲■";
const IN_ASCII = "+x*-_^v|-*o> xx";

const asciiOf = (character: string): string =>
  character === "…" ? "..." : (IN_ASCII[CHARACTERS.indexOf(character)] ?? "?");

/** A text for people in the characters of their locale. */
export const inLocale = (text: string): string => (speaksUnicode() ? text : text.replaceAll(/[^\0-\x7F]/gu, asciiOf));

/** Breaks a line between words where it is wider than the terminal, and keeps its indentation. */
export function wrapped(line: string, width: number): string[] {
  if (Bun.stringWidth(line) <= width) return [line];
  const indent = /^ */.exec(line)?.[0] ?? "";
  const lines: string[] = [];
  let current = "";
  for (const word of line.slice(indent.length).split(" ")) {
    const longer = current === "" ? indent + word : `${current} ${word}`;
    const isFull = current !== "" && Bun.stringWidth(longer) > width;
    if (isFull) lines.push(current.trimEnd());
    current = isFull ? indent + word : longer;
  }
  return [...lines, current];
}
