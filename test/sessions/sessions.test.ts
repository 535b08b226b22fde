import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { canRunHere, runHere } from "../support/here.ts";
import { PROGRAM, type Run, runToEnd } from "../support/momo.ts";
import { testWith } from "../support/needs.ts";
import { createSameText, startSame } from "../support/sandbox.ts";
import { RUN_MS } from "../support/waiting.ts";

/**
 * A file of `sessions` has what a person types at a new sandbox, and what appears, word for word: after `$` a line for the shell
 * (at its end, after `=`, an exit code other than 0), then stdout, and after `!` stderr (after ` / ` its hint). MOMO_TEST_RECORD=1 writes the files again:
 * read them.
 */

afterAll(cleanUp);

const FOLDER = import.meta.dir;
const names = readdirSync(FOLDER)
  .filter((one) => one.endsWith(".txt"))
  .sort();
const sessions = new Map(names.map((name) => [name, readFileSync(join(FOLDER, name), "utf8").trimEnd().split("\n")]));

/** A folder for PATH with the command `momo`. */
const commands = newFolder();
symlinkSync(PROGRAM[0] ?? "", join(commands, "momo"));

/** The first line of each command runs with the executable, whatever else could run it; not what depends on the usual port. */
const firstLines = new Map<string, string>();
for (const line of [...sessions.values()].flatMap(typedIn)) {
  const [, name] = /^momo ([a-z]+)(?!.* \/nowhere)/.exec(line) ?? [];
  if (name !== undefined && !firstLines.has(name)) firstLines.set(name, line);
}
const withExecutable = new Set(firstLines.values());

/** The lines for the shell, without the exit codes. */
function typedIn(lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2).replace(/ {2}= \d+$/, ""));
}

/** Runs a line: a shell with the executable, or this process where that can make no difference. */
async function runLine(line: string, { cwd, env }: { readonly cwd: string; readonly env: Record<string, string> }) {
  const inShell = (text: string, stdin = "") => runToEnd(["sh", "-c", text], { cwd, env, stdin });
  const parts = partsOf(line.replaceAll("$V2", env.V2 ?? "").replaceAll("$CONTROL", env.CONTROL ?? ""));
  const { V2: _v2, CONTROL: _control, CURL_HOME: _curl, ...own } = env;
  const surroundingsOf = (variables: Record<string, string>) => ({
    environment: { ...own, ...variables },
    folder: cwd,
  });
  const fits = (part: Part) => "shell" in part || canRunHere(part.words, surroundingsOf(part.variables));
  if (withExecutable.has(line) || !parts?.every(fits)) return inShell(line);
  let [stdout, stderr, exitCode] = ["", "", 0];
  for (const part of parts) {
    let run: Run;
    if ("shell" in part) run = await inShell(part.shell);
    else {
      run = await runHere(part.words, surroundingsOf(part.variables));
      if (part.pipe !== null) {
        stderr += run.stderr;
        run = await inShell(part.pipe, run.stdout);
      }
      if (part.file !== null) {
        writeFileSync(resolve(cwd, part.file), run.stdout);
        run = { ...run, stdout: "" };
      }
    }
    stdout += run.stdout;
    stderr += run.stderr;
    exitCode = run.exitCode;
  }
  return { stdout, stderr, exitCode };
}

async function replay(lines: readonly string[]): Promise<string[]> {
  const { origin, headers, data } = await startSame();
  const sameText = createSameText(data);
  const cwd = newFolder();
  // What curl sends and shows without being told.
  const sent = { ...headers, "Content-Type": "application/json" };
  const given = Object.entries(sent).map(([name, value]) => `header = "${name}: ${value}"\n`);
  writeFileSync(
    join(cwd, ".curlrc"),
    `silent\nmax-time = 60\nwrite-out = "\\n%{http_code} %header{allow}\\n"\n${given.join("")}`,
  );
  const env = {
    TMPDIR: cwd,
    CURL_HOME: cwd,
    PATH: `${commands}:${process.env.PATH}`,
    MOMO_DATA: data,
    XDG_DATA_HOME: cwd,
    V2: `${origin}/v2`,
    CONTROL: `${origin}/_momo`,
  };
  const inSession = (text: string) =>
    sameText(text)
      .replaceAll(cwd, "/home")
      .replaceAll(/(?<=momo-temporary-)\w+/g, "X")
      .replaceAll(/curl\/[0-9.]+/g, "curl/N");
  const marked = (mark: string, text: string) =>
    text === ""
      ? []
      : inSession(text.replace(/\n$/, ""))
          .replaceAll(mark === "!" ? /\n {6}(?=\S)/g : /$^/g, " / ")
          .split("\n")
          .map((line) => `${mark} ${line}`.trimEnd());
  const shown = lines.slice(
    0,
    lines.findIndex((line) => line.startsWith("$ ")),
  );
  for (const line of typedIn(lines)) {
    const { stdout, stderr, exitCode } = await runLine(line, { cwd, env });
    shown.push(`$ ${line}${exitCode === 0 ? "" : `  = ${exitCode}`}`, ...marked(" ", stdout), ...marked("!", stderr));
  }
  return shown;
}

/** How many sessions run at once. With more of them, each command waits longer for a processor, and has a bound. */
const LANES = 4;
const lanes: Promise<void>[] = [];

for (const [index, [name, lines]] of [...sessions].entries()) {
  const usesCurl = lines.some((line) => /^\$.*\bcurl /.test(line));
  const compare = async () => {
    const shown = await replay(lines);
    if (process.env.MOMO_TEST_RECORD) writeFileSync(join(FOLDER, name), `${shown.join("\n")}\n`);
    else expect(shown).toEqual(lines);
  };
  const inTurn = () => {
    const turn = (lanes[index % LANES] ?? Promise.resolve()).then(compare, compare);
    lanes[index % LANES] = turn;
    return turn;
  };
  // Each line has a bound of its own, and a busy machine runs many of them, also of the sessions before this one.
  const timeoutMs = RUN_MS * lines.length * names.length;
  testWith(usesCurl ? ["curl"] : [], `a session: ${name.replace(/\.txt$/, "")}`, inTurn, test.concurrent, timeoutMs);
}

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
