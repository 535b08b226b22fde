import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import fc from "fast-check";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runMomo } from "../support/momo.ts";
import { SEED, TIMES } from "../support/random.ts";

afterAll(cleanUp);

/** Command lines, right and wrong, beside files of others: no file changes but those that a right line names for writing. */

const CONTENTS: Readonly<Record<string, string>> = {
  nothing: "",
  notes: "<title>My momo notes</title> 9 of 9 stated sentences hold",
  report: '<testsuites name="momo audit" tests="1" failures="0" errors="0">',
  counts: '{"not_followed":1}',
  ready: '{"base_url":"http://127.0.0.1:1/v2","console_url":"http://127.0.0.1:1/_momo/","pid":1}',
  key: `{"merchant_id":1,"payment_account_id":1,"api_key":"mk_${"1".repeat(16)}","api_secret":"ms_${"1".repeat(32)}"}`,
  log: '{"id":1,"at":"2026-03-31 10:00:00"}\n',
  rules: '{"outcome":"cancelled"}',
};
const DATABASE = "database";

/** Of files that exist or not, in a folder, in a data directory and behind a link to a folder. */
const NAMES: readonly string[] = [
  ...["r.xml", "r.json", "r.txt", "r.html", "notes.md", "log.jsonl", "server.json", "credentials.json", "clock.json"],
  ...["momo.db", "momo.db-wal", "x.sqlite", "package.json", "rules.json", "ready", "sub/r.xml", "sub/r.json"],
  ...["data/r.json", "data/credentials.json", "data/momo.db", "data/server.json", "new/folder/r.json"],
];
const PATHS = [...NAMES, "linked/r.xml", "linked/r.json", "./r.json", "link.json", "link.xml", "hard.json", "sub", "."];

interface World {
  readonly files: readonly { readonly name: string; readonly content: string; readonly mode: number }[];
  readonly linkTo: string;
  readonly hardTo: string;
}

const world: fc.Arbitrary<World> = fc.record({
  files: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom(...NAMES.filter((name) => !name.startsWith("new/"))),
      content: fc.constantFrom(...Object.keys(CONTENTS), DATABASE),
      mode: fc.constantFrom(0o644, 0o600, 0o640, 0o444),
    }),
    { selector: ({ name }) => name, minLength: 4, maxLength: 14 },
  ),
  linkTo: fc.constantFrom(...NAMES),
  hardTo: fc.constantFrom(...NAMES),
});

function makeWorld({ files, linkTo, hardTo }: World): string {
  const folder = newFolder();
  for (const name of ["sub", "data"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "data/momo.lock"), "");
  for (const { name, content, mode } of files) {
    const file = join(folder, name);
    if (content === DATABASE) {
      using database = new Database(file);
      database.run("CREATE TABLE notes (text TEXT)");
    } else writeFileSync(file, CONTENTS[content] ?? "");
    chmodSync(file, mode);
  }
  symlinkSync("sub", join(folder, "linked"));
  for (const name of ["link.json", "link.xml"]) symlinkSync(linkTo, join(folder, name));
  if (files.some(({ name }) => name === hardTo)) linkSync(join(folder, hardTo), join(folder, "hard.json"));
  return folder;
}

/** Each command that writes a file that its line names: its words, its options for files, and what it needs to come to its end. */
const COMMANDS = {
  check: { options: ["--report", "--report", "--profile"], more: ["--target", "http://127.0.0.1:1/v2"] },
  audit: { options: ["--output"], more: ["--base-url", "http://127.0.0.1:1/v2"] },
  exec: { options: ["--audit-report", "--log-file", "--rules"], more: ["--", "true"] },
  serve: { options: ["--ready-file", "--rules"], more: ["--port=0", "--ephemeral", "--until-stdin-closes"] },
  export: { options: [], more: ["--data", "none"] },
} as const;

const MISTAKES = ["--typo", "--json=1", "--data=", "-Z"];

interface Line {
  readonly words: readonly string[];
  readonly env: Record<string, string>;
  readonly isRefused: boolean;
  readonly written: readonly string[];
}

const line: fc.Arbitrary<Line> = fc
  .record({
    command: fc.constantFrom(...(Object.keys(COMMANDS) as (keyof typeof COMMANDS)[])),
    paths: fc.array(fc.option(fc.constantFrom(...PATHS), { nil: undefined, freq: 3 }), { minLength: 3, maxLength: 3 }),
    joined: fc.boolean(),
    mistake: fc.option(fc.constantFrom(...MISTAKES), { nil: undefined, freq: 3 }),
    stray: fc.option(fc.constantFrom(...PATHS), { nil: undefined, freq: 6 }),
    variable: fc.option(fc.constantFrom(...PATHS), { nil: undefined, freq: 4 }),
  })
  .map(({ command, paths, joined, mistake, stray, variable }) => {
    const { options, more } = COMMANDS[command];
    const words: string[] = [command];
    const written: string[] = [];
    for (const [index, option] of options.entries()) {
      const path = paths[index];
      if (path === undefined) continue;
      words.push(...(joined ? [`${option}=${path}`] : [option, path]));
      if (option !== "--rules") written.push(path);
    }
    if (mistake !== undefined) words.push(mistake);
    const isCommandOfOther = command === "exec";
    if (stray !== undefined && !isCommandOfOther) words.push(stray);
    // Of a check, behind its last option for a file: another report, if there is no such file.
    if ((command === "export" || command === "check") && stray !== undefined) written.push(stray);
    if (command === "serve" && variable !== undefined) written.push(variable);
    const env = command === "serve" && variable !== undefined ? { MOMO_SERVE_READY_FILE: variable } : {};
    return { words: [...words, ...more], env, isRefused: mistake !== undefined, written };
  });

/** Each path with what it is: its kind, its mode and its content. */
function snapshot(folder: string): Map<string, { readonly mode: number; readonly content: string }> {
  const entries = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
    const path = join(folder, name);
    const stats = lstatSync(path);
    const content = stats.isSymbolicLink()
      ? `-> ${readlinkSync(path)}`
      : stats.isFile()
        ? readFileSync(path, "latin1")
        : "folder";
    return [name, { mode: stats.mode, content }] as const;
  });
  return new Map(entries);
}

function targetIn(folder: string, path: string): string {
  const place = join(folder, path);
  try {
    return relative(folder, realpathSync(place));
  } catch {
    const above = dirname(place) === folder ? "" : targetIn(folder, dirname(path));
    return join(above, basename(place));
  }
}

const isWithin = (path: string, file: string): boolean => file === path || file.startsWith(`${path}/`);

test("no file changes but those that a right line names for writing", async () => {
  const property = fc.asyncProperty(world, line, async (drawn, { words, env, isRefused, written }) => {
    const folder = makeWorld(drawn);
    const before = snapshot(folder);
    const targets = written.map((path) => targetIn(folder, path));
    const keys = { MOMO_API_KEY: `mk_${"1".repeat(16)}`, MOMO_API_SECRET: `ms_${"1".repeat(32)}` };
    const run = await runMomo(words, { cwd: folder, env: { ...keys, ...env }, isRefused });
    const after = snapshot(folder);
    for (const name of new Set([...before.keys(), ...after.keys()])) {
      const [old, now] = [before.get(name), after.get(name)];
      if (old?.content === now?.content && old?.mode === now?.mode) continue;
      const told = `${name} of ${words.join(" ")}: ${run.exitCode} ${run.stderr}`;
      expect(run.exitCode, told).not.toBe(2);
      expect(
        targets.some((target) => isWithin(name, target)),
        told,
      ).toBe(true);
      if (!old) continue;
      // What a right line may not replace either.
      expect(old.content, told).not.toStartWith("SQLite format 3");
      expect(name, told).not.toMatch(/^data\/(?!r\.json$)/);
      expect(old.mode & 0o222, told).not.toBe(0);
      if (now) expect(now.mode, told).toBe(old.mode);
      // A ready file is removed when its server ends, or cannot start.
      else expect([words[0], ["", CONTENTS.ready].includes(old.content)], told).toEqual(["serve", true]);
    }
  });
  await fc.assert(property, { numRuns: 60 * TIMES, seed: SEED, endOnFailure: false });
});
