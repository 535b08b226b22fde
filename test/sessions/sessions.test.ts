import { afterAll, test } from "bun:test";
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { momoForBash } from "../support/here.ts";
import { PROGRAM, runToEnd } from "../support/momo.ts";
import { testWith } from "../support/needs.ts";
import { Recording } from "../support/recording.ts";
import { createSameText, startSame } from "../support/sandbox.ts";
import { RUN_MS } from "../support/waiting.ts";

/**
 * A file of `sessions` has what a person types at a new sandbox, and what appears, word for word: after `$` a line for bash
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

/** A folder for PATH with the command `momo`, and what runs it in this process where that can make no difference. */
const commands = newFolder();
symlinkSync(PROGRAM[0] ?? "", join(commands, "momo"));
const inThisProcess = momoForBash();

/** The first line of each command runs with the executable, whatever else could run it. */
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
    PATH: `${commands}:${process.env.PATH}`,
    CURL_HOME: cwd,
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
    const script = withExecutable.has(line) ? line : inThisProcess + line;
    const { stdout, stderr, exitCode } = await runToEnd(["bash", "-c", script], { cwd, env });
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
  testWith(
    usesCurl ? ["bash", "curl"] : ["bash"],
    `a session: ${name.replace(/\.txt$/, "")}`,
    inTurn,
    test.concurrent,
    timeoutMs,
  );
}
