import { OUTCOME_NAMES } from "../../../sandbox/network/outcomes.ts";

/** Texts of what the page shows: short ones, and what has changed between two of them. */

interface Node {
  readonly text: string;
  readonly children: Node[];
}

const WIDTH = 128;
/** The spaces and the role at the start of a line. */
const ROLE = /^ *- '?[\w/]+/;

/**
 * A snapshot, with each element on one line with its children if they fit there, and a term beside its definition. A row of a table
 * is one line, without what its name says already.
 */
export function linesOf(snapshot: string): string[] {
  const top: Node = { text: "", children: [] };
  const open = [{ depth: -1, node: top }];
  for (const line of withoutOutcomes(snapshot.split("\n").filter((line) => line !== ""))) {
    const depth = line.search(/\S/);
    const node = { text: line.slice(depth), children: [] };
    while ((open.at(-1)?.depth ?? -1) >= depth) open.pop();
    open.at(-1)?.node.children.push(node);
    open.push({ depth, node });
  }
  return laidOut(top.children.map(withShortRows), "");
}

const OUTCOME = new RegExp(`^ *- '?option "(${OUTCOME_NAMES.join("|")}) – `);

/** The outcomes of a choice as one option: the program lists them, and a new one changes no recording. */
function withoutOutcomes(lines: readonly string[]): string[] {
  const told: string[] = [];
  let isListed = false;
  for (const line of lines) {
    const name = OUTCOME.exec(line)?.[1];
    if (name === undefined) {
      told.push(line);
      isListed = false;
      continue;
    }
    if (!isListed) told.push(`${line.slice(0, line.search(/\S/))}- option OUTCOMES`);
    if (line.includes("[selected]")) told.push(`${told.pop()}, ${name} [selected]`);
    isListed = true;
  }
  return told;
}

function withShortRows({ text, children }: Node): Node {
  if (!/^- '?row "/.test(text)) return { text, children: children.map(withShortRows) };
  const parts = children.map((cell) => cell.children.map((part) => withoutName(part, text)).join(" "));
  const inside = parts.filter((part) => part !== "").join(", ");
  return { text: text.replace(/:$/, "") + (inside && `: ${inside}`), children: [] };
}

/** What is in a cell: the role alone, if the name of the row has the text. */
function withoutName({ text, children }: Node, row: string): string {
  const [, role = "", name = ""] = /^- (\w+):? ?"?(.*?)"?:?$/.exec(text) ?? [];
  const inside = children.map((child) => withoutName(child, row));
  const own = role !== "" && row.includes(name) ? role : text.slice(2).replace(/:$/, "");
  return inside.length === 0 ? own : `${own} { ${inside.join(", ")} }`;
}

function laidOut(nodes: readonly Node[], indent: string): string[] {
  const lines: string[] = [];
  const fits = (line: string) => indent.length + line.length <= WIDTH;
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index] as Node;
    let line = onOneLine(node);
    const role = ROLE.exec(line)?.[0];
    for (let next = nodes[index + 1]; next; next = nodes[index + 1]) {
      const more = `${line}, ${onOneLine(next).slice(2)}`;
      const belongs = isPair(node, next) || (isShort(node) && isShort(next) && ROLE.exec(next.text)?.[0] === role);
      if (!belongs || !fits(more)) break;
      line = more;
      index++;
    }
    if (fits(line) || node.children.length === 0) {
      lines.push(indent + line);
      continue;
    }
    let [head, below] = [node.text, node.children];
    for (let only = below[0]; only && below.length === 1; only = below[0]) {
      head += ` ${only.text.slice(2)}`;
      below = only.children;
    }
    lines.push(indent + head, ...laidOut(below, `${indent}  `));
  }
  return lines;
}

/** A term and its definition; the label of a field and the field. */
const isPair = ({ text }: Node, next: Node) =>
  text.startsWith("- term")
    ? next.text.startsWith("- definition")
    : text.startsWith("- text: ") && next.text.includes(`box "${text.slice(8)}"`);

const isShort = ({ text, children }: Node) => children.length === 0 && !/^- '?row "/.test(text);

function onOneLine({ text, children }: Node): string {
  if (children.length === 0) return text;
  const inside = children.map((child) => onOneLine(child).slice(2));
  return children.length === 1 ? `${text} ${inside}` : `${text} { ${inside.join(", ")} }`;
}

/**
 * All that differs, each at its place: the innermost region, dialog or list with a name. `Clock:` before a line with its changed «old →
 * new» words, `Clock+` before an added line, and `Clock-` before a removed line, or the first of several in a row.
 */
export function changesOf(before: readonly string[], now: readonly string[]): string[] {
  const told: string[] = [];
  let [from, to] = [0, 0];
  const tellUntil = (end: number, endNow: number) => {
    const [old, added] = [before.slice(from, end), now.slice(to, endNow)];
    let removed: number[] = [];
    const tellRemoved = () => {
      const [first] = removed;
      if (first === undefined) return;
      const more = removed.length > 1 ? ` (and ${removed.length - 1} more)` : "";
      told.push(`${placeOf(before, from + first)}- ${old[first]?.trim()}${more}`);
      removed = [];
    };
    for (const [mine, theirs] of steps(old, added, (line) => ROLE.exec(line)?.[0])) {
      if (theirs === null) {
        removed.push(mine ?? 0);
        continue;
      }
      tellRemoved();
      const line = added[theirs] ?? "";
      const place = placeOf(now, to + theirs);
      told.push(mine === null ? `${place}+ ${line.trim()}` : `${place}: ${changedWords(old[mine] ?? "", line).trim()}`);
    }
    tellRemoved();
    [from, to] = [end + 1, endNow + 1];
  };
  for (const [mine, theirs] of steps(before, now, (line) => line))
    if (mine !== null && theirs !== null) tellUntil(mine, theirs);
  tellUntil(before.length, now.length);
  return told;
}

const NAMED_PLACE = /^ *- '?(?:region|dialog|list|table|navigation|group|form) "([^"]*)"/;

/** The name of the innermost place around a line. */
function placeOf(lines: readonly string[], index: number): string {
  const indentOf = (line: string) => line.search(/\S/);
  let indent = indentOf(lines[index] ?? "");
  for (let above = index - 1; above >= 0 && indent > 0; above--) {
    const line = lines[above] ?? "";
    if (indentOf(line) >= indent) continue;
    indent = indentOf(line);
    const name = NAMED_PLACE.exec(line)?.[1];
    if (name !== undefined) return name;
  }
  return "page";
}

/** The longest common subsequence: the index of each line in one list, in the other, or in both. */
function* steps(before: readonly string[], now: readonly string[], keyOf: (line: string) => string | undefined) {
  const [mine, theirs] = [before.map(keyOf), now.map(keyOf)];
  const common = Array.from({ length: mine.length + 1 }, () => new Uint16Array(theirs.length + 1));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = mine.length - 1; i >= 0; i--)
    for (let j = theirs.length - 1; j >= 0; j--)
      (common[i] as Uint16Array)[j] =
        mine[i] === theirs[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  for (let [i, j] = [0, 0]; i < mine.length || j < theirs.length; ) {
    if (i < mine.length && j < theirs.length && mine[i] === theirs[j]) yield [i++, j++] as const;
    else if (i < mine.length && at(i + 1, j) >= at(i, j + 1)) yield [i++, null] as const;
    else yield [null, j++] as const;
  }
}

function changedWords(before: string, now: string): string {
  const [old, words] = [before.split(/(?<=[ "])|(?=[ "])/), now.split(/(?<=[ "])|(?=[ "])/)];
  const most = Math.min(old.length, words.length);
  let start = 0;
  while (start < most && old[start] === words[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === words.at(-1 - end)) end++;
  const part = (list: string[]) => list.slice(start, list.length - end).join("");
  return `${words.slice(0, start).join("")}«${part(old)} → ${part(words)}»${words.slice(words.length - end).join("")}`;
}
