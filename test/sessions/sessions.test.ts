import { afterAll, test } from "bun:test";
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { canRunHere, runHere } from "../support/here.ts";
import { PROGRAM, runToEnd } from "../support/momo.ts";
import { testWith } from "../support/needs.ts";
import { Recording } from "../support/recording.ts";
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
const recordings = names.map((name) => new Recording(join(FOLDER, name), null));
const sessions = new Map(names.map((name, index) => [name, (recordings[index]?.texts[0] ?? "").split("\n")]));

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

/** Words of quoted parts, and of characters that a shell takes as they are. */
const WORD = /(?:'[^']*'|"[^"$`\\]*"|[\w./:,@%+=-])+/g;
/** `NAME=value momo WORDS`, and perhaps what reads the output, or the file that gets it. */
const PLAIN = new RegExp(
  `^((?:\\w+=(?:${WORD.source})? +)*)momo((?: +${WORD.source})*)(?: +(\\|(?!.*\\bmomo\\b).*|> ?[\\w./]+))?$`,
);
/** What makes or shows files needs no shell together with the rest of its line. */
const FILES = /^(?:chmod|cp|echo|head|ls|ln|mkdir|mkfifo|printf|rm|test|touch)\b(?!.*\bmomo )/;

const wordsOf = (text: string): string[] =>
  (text.match(WORD) ?? []).map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));

/** Runs a line: a shell with the executable, or this process where that can make no difference. */
async function runLine(line: string, { cwd, env }: { readonly cwd: string; readonly env: Record<string, string> }) {
  const inShell = (text: string, stdin = "") => runToEnd(["sh", "-c", text], { cwd, env, stdin });
  const { V2 = "", CONTROL = "", CURL_HOME: _curl, ...own } = env;
  const text = line.replaceAll("$V2", V2).replaceAll("$CONTROL", CONTROL);
  const parts = text.split(/ *; *(?=(?:'[^']*'|"(?:\\.|[^"\\])*"|[^'"])*$)/).map((shell) => {
    const [isPlain, variables = "", momo = "", rest = ""] = PLAIN.exec(shell) ?? [];
    const environment = { ...own, ...Object.fromEntries(wordsOf(variables).map((one) => one.split(/=(.*)/s, 2))) };
    return isPlain === undefined
      ? { shell }
      : { words: wordsOf(momo), rest, surroundings: { environment, folder: cwd } };
  });
  const fits = (part: (typeof parts)[number]) =>
    part.words ? canRunHere(part.words, part.surroundings) : FILES.test(part.shell);
  if (withExecutable.has(line) || !parts.every(fits)) return inShell(line);
  const all = { stdout: "", stderr: "", exitCode: 0 };
  for (const { shell, words, rest, surroundings } of parts) {
    let run = words ? await runHere(words, surroundings) : await inShell(shell);
    all.stderr += run.stderr;
    if (rest) {
      run = await inShell(`cat ${rest}${rest.startsWith(">") ? `; exit ${run.exitCode}` : ""}`, run.stdout);
      all.stderr += run.stderr;
    }
    all.stdout += run.stdout;
    all.exitCode = run.exitCode;
  }
  return all;
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
    recordings[index]?.compare(0, shown.join("\n"));
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
