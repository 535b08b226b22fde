import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { expectRefusal, type Run, runMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const KEY = { MOMO_API_KEY: `mk_${"1".repeat(16)}`, MOMO_API_SECRET: `ms_${"1".repeat(32)}` };
const NOBODY = "http://127.0.0.1:1/v2";

const momo = (words: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Run> =>
  runMomo(words, { cwd, env: { ...KEY, ...env } });
const momoLine = (line: string, cwd: string): Promise<Run> => momo(line.split(" "), cwd);
const refusedLine = (line: string, cwd: string): Promise<Run> =>
  runMomo(line.split(" "), { cwd, env: KEY, isRefused: true });

const GREEN = '<testsuites name="momo audit" tests="1" failures="0" errors="0">';
const READY = '{"base_url":"http://127.0.0.1:1/v2","console_url":"http://127.0.0.1:1/_momo/","pid":1}';

function newDatabase(file: string): void {
  using database = new Database(file);
  database.run("CREATE TABLE notes (text TEXT)");
}

async function servedOnce(): Promise<string> {
  const data = newFolder();
  await (await startIn(data)).stop();
  return data;
}

describe("a refused line changes no file, whatever is in it", () => {
  test.concurrent.each([
    ["check --report FILE.json --targt http://127.0.0.1:1/v2", "<title>My momo notes</title>"],
    ["check --report r.json FILE.json --target http://127.0.0.1:1/v2", '{"name":"shop"}'],
    ["check --report FILE.json --report ./FILE.json --target http://127.0.0.1:1/v2", "{}"],
    ["check --report FILE.xml --profile . --target http://127.0.0.1:1/v2", GREEN],
    ["audit --output FILE.txt --bogus", "5 requests: 5 accepted"],
    ["exec --log-file FILE.jsonl --typo", '{"id":1,"at":"'],
    ["exec --audit-report FILE.xml --bogus -- true", GREEN],
    ["exec --rules FILE.json --audit-report FILE.json -- true", '{"outcome":"cancelled"}'],
    ["exec --audit-report FILE.json --log-file ./FILE.json -- true", "{}"],
    ["exec --log-file FILE.json --audit-report . -- true", "{}"],
    ["serve --ready-file FILE.json --rules none", READY],
    ["serve --ready-file FILE.json --port 4711 --control-port 4711", READY],
    ["serve --ready-file FILE.json --port 0 --ephemeral", '{"name":"shop"}'],
  ])("momo %s", async (line, text) => {
    const cwd = newFolder();
    const [name = ""] = /FILE\.\w+/.exec(line) ?? [];
    writeFileSync(join(cwd, name), text, { mode: 0o640 });
    const before = statSync(join(cwd, name), { bigint: true });
    expectRefusal(await refusedLine(line, cwd), 2, /^momo: /);
    expect(readdirSync(cwd)).toEqual([name]);
    const { ino, mode, size, mtimeNs } = statSync(join(cwd, name), { bigint: true });
    expect([ino, mode, size, mtimeNs]).toEqual([before.ino, before.mode, before.size, before.mtimeNs]);
  });

  test.concurrent("nor where a variable names the file", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "ready.json"), READY);
    expectRefusal(await momo(["serve", "--prot"], cwd, { MOMO_SERVE_READY_FILE: "ready.json" }), 2, "--prot");
    writeFileSync(join(cwd, "ready.json"), "{}");
    expectRefusal(
      await momo(["serve", "--port", "0", "--ephemeral"], cwd, { MOMO_SERVE_READY_FILE: "ready.json" }),
      2,
      "momo: MOMO_SERVE_READY_FILE ready.json is not a ready file, and stays as it is",
    );
    expect(readFileSync(join(cwd, "ready.json"), "utf8")).toBe("{}");
  });
});

test.concurrent.each(["--", "--audit", "-q", "-"])(
  "a file's option that takes %j for its file is refused",
  async (word) => {
    const cwd = newFolder();
    const run = await refusedLine(`exec --log-file ${word} echo hi`, cwd);
    expectRefusal(run, 2, `--log-file must be a path (./NAME if it begins with -); it is ${JSON.stringify(word)}`);
    expect(readdirSync(cwd)).toEqual([]);
  },
);

describe("what is not a file of its own is refused by name, and stays", () => {
  let served: string;
  beforeAll(async () => {
    served = await servedOnce();
  });
  const world = () => {
    const cwd = newFolder();
    mkdirSync(join(cwd, "folder"));
    newDatabase(join(cwd, "shop.sqlite"));
    newDatabase(join(cwd, "hidden.json"));
    symlinkSync("shop.sqlite", join(cwd, "link.json"));
    linkSync(join(cwd, "shop.sqlite"), join(cwd, "hard.json"));
    symlinkSync("nowhere", join(cwd, "lost.json"));
    writeFileSync(join(cwd, "kept.json"), "{}", { mode: 0o444 });
    symlinkSync(served, join(cwd, "data"));
    symlinkSync("data/credentials.json", join(cwd, "key.json"));
    return cwd;
  };
  const OWN = "is a file of momo's in a data directory";

  test.each([
    ["audit --output folder --base-url URL", "--output folder is a folder"],
    ["audit --output data/momo.db --base-url URL", "--output data/momo.db is a database"],
    ["audit --output data/server.json --base-url URL", `--output data/server.json ${OWN}`],
    ["audit --output data/clock.json --base-url URL", `--output data/clock.json ${OWN}`],
    ["audit --output data/momo.db-wal --base-url URL", "--output data/momo.db-wal belongs to the database"],
    ["check --profile data/credentials.json --target URL", `--profile data/credentials.json ${OWN}`],
    ["check --report key.json --target URL", `--report key.json ${OWN}`],
    ["check --report kept.json --target URL", "--report kept.json is write-protected"],
    ["exec --log-file shop.sqlite -- true", "--log-file shop.sqlite is a database"],
    ["exec --log-file shop.sqlite-wal -- true", "--log-file shop.sqlite-wal belongs to the database"],
    ["exec --log-file data/momo.lock -- true", `--log-file data/momo.lock ${OWN}`],
    ["exec --audit-report hidden.json -- true", "--audit-report hidden.json is a database"],
    ["exec --audit-report link.json -- true", "--audit-report link.json is a database"],
    ["exec --audit-report hard.json -- true", "--audit-report hard.json is a database"],
    ["exec --audit-report lost.json -- true", "--audit-report lost.json is a link that leads nowhere"],
    ["serve --port 0 --ephemeral --ready-file shop.sqlite", "--ready-file shop.sqlite is not a ready file"],
    ["serve --port 0 --ephemeral --ready-file data/server.json", `--ready-file data/server.json ${OWN}`],
    ["serve --port 0 --data new --ready-file new/clock.json", `--ready-file new/clock.json ${OWN}`],
    ["serve --port 0 --ephemeral --ready-file link.json", "--ready-file link.json is not a file of its own"],
  ])("momo %s", async (line, says) => {
    const cwd = world();
    const shown = () => Bun.spawnSync(["sh", "-c", "ls -lR . data/; md5sum *.* data/*"], { cwd }).stdout.toString();
    const before = shown();
    expectRefusal(await refusedLine(line.replace("URL", NOBODY), cwd), 2, `momo: ${says}`);
    expect(shown()).toBe(before);
  });

  test("momo export makes no file that belongs to a database or to momo", async () => {
    const data = await servedOnce();
    for (const name of ["momo.db-wal", "server.json"]) {
      const file = join(data, name);
      expectRefusal(await momo(["export", file, "--data", data], data), 2, `momo: ${file} `);
      expect(existsSync(file)).toBe(false);
    }
  });

  test("with another name a file may be in a data directory", async () => {
    const data = await servedOnce();
    const run = await momo(["exec", "--audit-report", join(data, "audit.xml"), "--", "true"], data);
    expect(run.exitCode).toBe(0);
    expect(readdirSync(data)).toContain("audit.xml");
  });
});

/** serve-ready.test.ts has the same of a ready file. */
describe("a run that cannot start says so in its report: an earlier report does not stay", () => {
  test.concurrent.each([
    ["exec --audit-report FILE.xml -- no-such-command", 127, /<testsuite .* errors="1"[\s\S]*<error .*no-such-command/],
    ["exec --audit-report FILE.json -- no-such-command", 127, /^{\n {2}"error": {\n {4}"code": "command_missing"/],
    ["exec --audit-report FILE.txt -- no-such-command", 127, /^momo: no-such-command is not a command/],
    ["exec --log-file FILE.jsonl -- no-such-command", 127, /^{"error":{"code":"command_missing",.*}\n$/],
    ["audit --output FILE.xml --format junit --base-url URL", 6, /<testsuite .* errors="1"[\s\S]*<error /],
    ["audit --output FILE.json --json --base-url URL", 6, /^{\n {2}"error": {\n {4}"code": "unreachable"/],
    ["audit --output FILE.txt --base-url URL", 6, /^momo: /],
    ["check --report FILE.xml --target URL", 6, /<testsuite .* errors="1"[\s\S]*<error .*nothing listens there/],
    ["check --report FILE.json --target URL", 6, /"stopped": {[^}]*nothing listens there"/],
  ] as const)("momo %s", async (line, exitCode, says) => {
    const cwd = newFolder();
    const [name = ""] = /FILE\.\w+/.exec(line) ?? [];
    writeFileSync(join(cwd, name), GREEN);
    expect((await momoLine(line.replace("URL", NOBODY), cwd)).exitCode).toBe(exitCode);
    expect(readFileSync(join(cwd, name), "utf8")).toMatch(says);
    expect(readdirSync(cwd)).toEqual([name]);
  });

  test.concurrent("but not in a file whose name says another form", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "metrics.json"), '{"not_followed":1}');
    expect((await momoLine(`audit --output metrics.json --base-url ${NOBODY}`, cwd)).exitCode).toBe(6);
    expect(readFileSync(join(cwd, "metrics.json"), "utf8")).toBe('{"not_followed":1}');
  });
});

test("of two paths to one file, the second is refused, also through a linked folder", async () => {
  const cwd = newFolder();
  mkdirSync(join(cwd, "sub"));
  symlinkSync("sub", join(cwd, "linked"));
  expectRefusal(
    await momoLine("exec --audit-report sub/a.json --log-file linked/a.json -- true", cwd),
    2,
    "momo: --log-file linked/a.json and --audit-report sub/a.json are one file\n      name two files\n",
  );
  expect(readdirSync(join(cwd, "sub"))).toEqual([]);
});

test.concurrent("a named pipe is no report, and no profile to read: refused by name, without a wait", async () => {
  const cwd = newFolder();
  Bun.spawnSync(["mkfifo", join(cwd, "pipe.json")]);
  for (const [line, says] of [
    ["exec --audit-report pipe.json -- true", "--audit-report pipe.json is a pipe"],
    [`check --target ${NOBODY} --profile pipe.json --json`, "--profile pipe.json is a pipe"],
    ["serve --port 0 --profile pipe.json --json", "--profile pipe.json: it is a pipe, and is not opened"],
    ["exec --rules pipe.json -- true", "--rules pipe.json: it is a pipe, and is not opened"],
  ] as const)
    expect((await momoLine(line, cwd)).stderr).toContain(says);
});

test.concurrent("a report that the command of momo exec names is not momo's", async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, "r.xml"), GREEN);
  await momo(["exec", "--after", "1s", "echo", "--audit-report", "r.xml"], cwd);
  expect(readFileSync(join(cwd, "r.xml"), "utf8")).toBe(GREEN);
});

test.concurrent("momo audit at the address of another program: exit 1", async () => {
  const other = serveFake(() => Response.json({ success: true, message: "hello" }));
  expectRefusal(await runMomo(["audit", "--base-url", other.baseUrl]), 1, "answered without findings");
});
