import { afterAll, test } from "bun:test";
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createMutex } from "../../src/domain/mutex.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { holdSilentOrigin } from "../support/fake-server.ts";
import { PROGRAM, runToEnd } from "../support/momo.ts";
import { type Needed, testWith } from "../support/needs.ts";
import { Recording } from "../support/recording.ts";
import { createSameText, startSame } from "../support/sandbox.ts";
import { tell } from "../support/stories.ts";
import { RUN_MS } from "../support/waiting.ts";
import { momoForBash } from "./bash.ts";

/**
 * A file of `sessions` is a story: what a person types at a new sandbox, and what appears: stdout, and after `!` stderr (after ` / ` its
 * hint).
 */

afterAll(cleanUp);

const names = readdirSync(import.meta.dir)
  .filter((one) => one.endsWith(".txt"))
  .sort();
const sessions = names.map((name) => new Recording(join(import.meta.dir, name), null));

/** A folder for PATH with the command `momo`, and what runs it in this process where that can make no difference. */
const commands = newFolder();
symlinkSync(PROGRAM[0] ?? "", join(commands, "momo"));
const inThisProcess = await momoForBash();
/** The session in which every command that serves is refused. */
const REFUSALS = "serve.txt";
const refusedInThisProcess = await momoForBash(false);

/** Nothing listens there. */
const silent = holdSilentOrigin();

/** One line of each command runs with the executable, whatever else could run it: the first of those with the fewest commands. */
const lines = new Map<string, string>();
const commandsIn = (line: string) => line.split("momo ").length;
for (const [, line = "", name = ""] of sessions
  .flatMap(({ texts }) => texts)
  .join("\n")
  .matchAll(/^\$ (momo ([a-z]+)(?!.* \/nowhere).*?)(?: {2}= \d+)?$/gm)) {
  const chosen = lines.get(name);
  if (chosen === undefined || commandsIn(line) < commandsIn(chosen)) lines.set(name, line);
}
const withExecutable = new Set(lines.values());

async function replay(recording: Recording, momo: string): Promise<void> {
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
    SILENT: await silent,
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
  await tell(recording, 0, async (line) => {
    const script = withExecutable.has(line) ? line : momo + line;
    const { stdout, stderr, exitCode } = await runToEnd(["bash", "-c", script], { cwd, env });
    const below = [...marked(" ", stdout), ...marked("!", stderr)];
    return { behind: exitCode === 0 ? "" : `  = ${exitCode}`, below };
  });
}

/** How many sessions run at once. With more of them, each command waits longer for a processor, and has a bound. */
const lanes = Array.from({ length: 4 }, createMutex);

for (const [index, session] of sessions.entries()) {
  const [text = ""] = session.texts;
  const needs: Needed[] = text.includes("curl ") ? ["bash", "curl"] : ["bash"];
  const lane = lanes[index % lanes.length] ?? createMutex();
  // Each line has a bound of its own, and a busy machine runs many of them, also of the sessions before this one.
  const timeoutMs = RUN_MS * text.split("\n").length * names.length;
  const momo = names[index] === REFUSALS ? refusedInThisProcess : inThisProcess;
  const name = `a session: ${names[index]?.replace(/\.txt$/, "")}`;
  testWith(needs, name, () => lane.run(() => replay(session, momo)), test.concurrent, timeoutMs);
}
