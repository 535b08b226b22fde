/** A part of a shell's line: a command of momo, perhaps into a pipe or a file; or a command that makes or shows files. */
export type Part =
  | {
      readonly variables: Record<string, string>;
      readonly words: readonly string[];
      /** What reads its output, or the file that gets it. */
      readonly pipe: string | null;
      readonly file: string | null;
    }
  | { readonly shell: string };

/** The parts of a line, separated by `;`; null if it needs a shell for more, such as its variables. */
export function partsOf(line: string): Part[] | null {
  const parts = split(line, ";").map((text) => {
    const [first = "", ...rest] = split(text, "|");
    const pipe = rest.length === 0 ? null : rest.join("|").trim();
    const isSimple = !/\bmomo\b/.test(pipe ?? "") && !/&$/.test(text);
    const [, command = first, file = null] = pipe === null ? (/^([^>]*[^>0-9])> ?([\w./]+)$/.exec(text) ?? []) : [];
    const momo = isSimple ? plainCommand(command.trim()) : null;
    if (momo) return { ...momo, pipe, file };
    return /^(?:chmod|cp|echo|head|ls|ln|mkdir|mkfifo|printf|rm|test|touch) (?!.*\bmomo )/.test(text.trim()) ||
      text.trim() === "ls"
      ? { shell: text.trim() }
      : null;
  });
  return parts.every((part) => part !== null) ? parts : null;
}

/** Splits at a character outside quotes. */
function split(line: string, at: string): string[] {
  const parts = [""];
  for (const [piece] of line.matchAll(/'[^']*'|"(?:\\.|[^"\\])*"|\\.|./gs)) {
    if (piece === at) parts.push("");
    else parts.push(parts.pop() + piece);
  }
  return parts;
}

/** A word of quoted parts, and of characters that a shell takes as they are. */
const WORD = /(?:'[^']*'|"[^"$`\\]*"|[\w./:,@%+=-])+/y;

/** `NAME=value momo WORDS`; null for everything else. */
function plainCommand(text: string) {
  const words: string[] = [];
  const variables: Record<string, string> = {};
  for (let at = 0; at < text.length; ) {
    WORD.lastIndex = at;
    const [word = ""] = WORD.exec(text) ?? [];
    at += word.length;
    if (word === "" || (at < text.length && text[at] !== " ")) return null;
    while (text[at] === " ") at += 1;
    const [, name, value = ""] = /^(\w+)=(.*)$/s.exec(word) ?? [];
    if (words.length === 0 && name !== undefined) variables[name] = unquoted(value);
    else words.push(unquoted(word));
  }
  return words[0] === "momo" ? { variables, words: words.slice(1) } : null;
}

const unquoted = (word: string): string => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2");
