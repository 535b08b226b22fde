import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runToEnd } from "../support/momo.ts";
import { testWith } from "../support/needs.ts";
import { createSameText, startSame } from "../support/sandbox.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

/**
 * A file of `sessions` has what a person types at a new sandbox, and what appears, word for word: after `$` a line for the shell,
 * then stdout, after `!` stderr, and after `=` an exit code other than 0. MOMO_TEST_RECORD=1 writes the files again: read them.
 */

afterAll(cleanUp);

const FOLDER = import.meta.dir;

/** A folder for PATH with the command `momo`. */
const commands = newFolder();
symlinkSync(PROGRAM[0] ?? "", join(commands, "momo"));

async function replay(lines: readonly string[]): Promise<string[]> {
  const { origin, headers, data } = await startSame();
  const sameText = createSameText(data);
  const cwd = newFolder();
  // What curl sends and shows without being told.
  const sent = { ...headers, "Content-Type": "application/json" };
  const given = Object.entries(sent).map(([name, value]) => `header = "${name}: ${value}"\n`);
  writeFileSync(
    join(cwd, ".curlrc"),
    `silent\nmax-time = 5\nwrite-out = "\\n%{http_code} %header{allow}\\n"\n${given.join("")}`,
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
          .split("\n")
          .map((line) => `${mark} ${line}`.trimEnd());
  const shown = lines.slice(
    0,
    lines.findIndex((line) => line.startsWith("$ ")),
  );
  for (const line of lines.filter((one) => one.startsWith("$ "))) {
    shown.push(line);
    const { stdout, stderr, exitCode } = await runToEnd(["sh", "-c", line.slice(2)], { cwd, env });
    shown.push(...marked(" ", stdout), ...marked("!", stderr), ...(exitCode === 0 ? [] : [`= ${exitCode}`]));
  }
  return shown;
}

/** How many sessions run at once. With more of them, each command waits longer for a processor, and has a bound. */
const LANES = 4;
const lanes: Promise<void>[] = [];

const names = readdirSync(FOLDER).filter((one) => one.endsWith(".txt"));
for (const [index, name] of names.entries()) {
  const file = join(FOLDER, name);
  const lines = readFileSync(file, "utf8").trimEnd().split("\n");
  const usesCurl = lines.some((line) => /^\$.*\bcurl /.test(line));
  const compare = async () => {
    const shown = await replay(lines);
    if (process.env.MOMO_TEST_RECORD) writeFileSync(file, `${shown.join("\n")}\n`);
    else expect(shown).toEqual(lines);
  };
  const inTurn = () => {
    const turn = (lanes[index % LANES] ?? Promise.resolve()).then(compare, compare);
    lanes[index % LANES] = turn;
    return turn;
  };
  // Each line has a bound of its own, and a busy machine runs many of them, also of the sessions before this one.
  const timeoutMs = PATIENCE_MS * lines.length * names.length;
  testWith(usesCurl ? ["curl"] : [], `a session: ${name.replace(/\.txt$/, "")}`, inTurn, test.concurrent, timeoutMs);
}
