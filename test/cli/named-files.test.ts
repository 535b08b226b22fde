import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { NamedFile } from "../../cli/serving/named-files.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { expectRefusal, PROGRAM, type Run, runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

/** The files that options name for momo to write: with the executable. */

const KEY = { MOMO_API_KEY: `mk_${"1".repeat(16)}`, MOMO_API_SECRET: `ms_${"1".repeat(32)}` };
const NOBODY = "http://127.0.0.1:1/v2";

const momo = (words: readonly string[], cwd: string, env: Record<string, string> = {}): Promise<Run> =>
  runMomo(words, { cwd, env: { ...KEY, ...env }, program: PROGRAM });
const momoLine = (line: string, cwd: string): Promise<Run> => momo(line.split(" "), cwd);

const GREEN = '<testsuites name="momo audit" tests="1" failures="0" errors="0">';
const READY = '{"base_url":"http://127.0.0.1:1/v2","console_url":"http://127.0.0.1:1/_momo/","pid":1}';

function newDatabase(file: string): void {
  using database = new Database(file);
  database.run("CREATE TABLE notes (text TEXT)");
}

/** A data directory that was served once. */
async function servedOnce(): Promise<string> {
  const { ready, stop } = await serveMomo();
  await stop();
  return ready.data;
}

describe("a refused line changes no file, whatever is in it", () => {
  test.concurrent.each([
    ["check --report FILE.html --targt http://127.0.0.1:1/v2", "<title>My momo notes</title>"],
    ["check --report FILE.txt --targt x", "9 of 9 stated sentences hold"],
    ["check --report FILE.md --target http://127.0.0.1:1/v2", "# Plan"],
    ["check --report other.json --report FILE.xml --target nowhere", GREEN],
    ["check --profile FILE.json --target http://127.0.0.1:1/v2 --requests x", ""],
    ["check --report r.json FILE.json --target http://127.0.0.1:1/v2", '{"name":"shop"}'],
    ["check --report FILE.json --report ./FILE.json --target http://127.0.0.1:1/v2", "{}"],
    ["check --report FILE.xml --profile . --target http://127.0.0.1:1/v2", GREEN],
    ["audit --output FILE.txt --bogus", "5 requests: 5 accepted"],
    ["exec --log-file FILE.jsonl --typo", '{"id":1,"at":"'],
    ["exec --audit-report FILE.xml --bogus -- true", GREEN],
    ["exec --audit-report=FILE.xml --rules none -- true", GREEN],
    ["exec --rules FILE.json --audit-report FILE.json -- true", '{"outcome":"cancelled"}'],
    ["exec --profile FILE.json --log-file FILE.json -- true", "{}"],
    ["exec --audit-report FILE.json --log-file ./FILE.json -- true", "{}"],
    ["exec --log-file FILE.json --audit-report . -- true", "{}"],
    ["serve --ready-file FILE.json --prot 1", READY],
    ["serve --ready-file FILE.json --rules none", READY],
    ["serve --ready-file FILE.json --port 0 --ephemeral", '{"name":"shop"}'],
  ])("momo %s", async (line, text) => {
    const cwd = newFolder();
    const [name = ""] = /FILE\.\w+/.exec(line) ?? [];
    writeFileSync(join(cwd, name), text, { mode: 0o640 });
    const before = statSync(join(cwd, name), { bigint: true });
    expectRefusal(await momoLine(line, cwd), 2, /^momo: /);
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
    const run = await momo(["exec", "--log-file", word, "echo", "hi"], cwd);
    expectRefusal(run, 2, `--log-file must be a path (./NAME if it begins with -); it is ${JSON.stringify(word)}`);
    expect(readdirSync(cwd)).toEqual([]);
  },
);

describe("what is not a file of its own is refused by name, and stays", () => {
  const world = async () => {
    const cwd = newFolder();
    mkdirSync(join(cwd, "folder"));
    newDatabase(join(cwd, "shop.sqlite"));
    newDatabase(join(cwd, "hidden.json"));
    symlinkSync("shop.sqlite", join(cwd, "link.json"));
    linkSync(join(cwd, "shop.sqlite"), join(cwd, "hard.json"));
    symlinkSync("nowhere", join(cwd, "lost.json"));
    writeFileSync(join(cwd, "kept.json"), "{}", { mode: 0o444 });
    symlinkSync(await servedOnce(), join(cwd, "data"));
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
    const cwd = await world();
    const shown = () => Bun.spawnSync(["sh", "-c", "ls -lR . data/; md5sum *.* data/*"], { cwd }).stdout.toString();
    const before = shown();
    expectRefusal(await momoLine(line.replace("URL", NOBODY), cwd), 2, `momo: ${says}`);
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
    expect(await momo(["exec", "--audit-report", join(data, "audit.xml"), "--", "true"], data)).toMatchObject({
      ...{ exitCode: 0, stderr: "" },
    });
    expect(readdirSync(data)).toContain("audit.xml");
  });
});

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
    ["check --report FILE.json --target URL", 6, /"stopped": ".*nothing listens there"/],
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

  test.concurrent("an old ready file does not stay either", async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, "ready.json"), READY);
    writeFileSync(join(cwd, "file"), "");
    expect((await momoLine("serve --port 0 --data file/data --ready-file ready.json", cwd)).exitCode).toBe(1);
    expect(readdirSync(cwd)).toEqual(["file"]);
  });
});

describe("what another program writes while the command runs stays", () => {
  const CHANGED = "was changed by another program, and stays as it is";
  test.concurrent.each([
    ["--log-file", "out.json", "echo result > out.json"],
    ["--log-file", "out.json", "rm out.json; echo result > out.json"],
    ["--audit-report", "out.json", "echo result > out.json"],
    ["--audit-report", "link.json", "echo result > out.json; ln -s out.json link.json"],
  ])("%s %s, and the command does: %s", async (option, file, script) => {
    const cwd = newFolder();
    const run = await momo(["exec", option, file, "--", "sh", "-c", `${script}; exit 42`], cwd);
    expect(run).toEqual({
      ...{ stdout: "", exitCode: 42 },
      stderr: `momo: ${option} ${file} ${CHANGED}\n      name another file\n`,
    });
    expect(readFileSync(join(cwd, "out.json"), "utf8")).toBe("result\n");
  });
});

test.concurrent.skipIf(process.platform !== "linux")(
  "a report that cannot be written changes no exit code of its command",
  async () => {
    const cwd = newFolder();
    for (const name of ["full.xml", "full.jsonl"]) symlinkSync("/dev/full", join(cwd, name));
    const fetching = `fetch(process.env.MOMO_BASE_URL).then(() => process.exit(42))`;
    for (const option of ["--audit-report full.xml", "--log-file full.jsonl"]) {
      const run = await momo(["exec", ...option.split(" "), "--", process.execPath, "-e", fetching], cwd);
      expect(run).toMatchObject({ exitCode: 42, stdout: "" });
      expect(run.stderr).toStartWith(`momo: ${option} cannot be written: the disk is full (ENOSPC)\n`);
    }
    const { at, ready } = await serveMomo();
    await fetch(`${ready.base_url}/transactions.php`); // without a key
    const audit = ["audit", "--output", "full.xml", ...at];
    expect((await momo(audit, cwd)).exitCode).toBe(1);
    expect((await momo([...audit, "--fail-on", "note"], cwd)).exitCode).toBe(7);
  },
);

test.concurrent("a new file is private, whatever the umask is; a file that exists keeps its mode", async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, "old.xml"), GREEN);
  writeFileSync(join(cwd, "old.jsonl"), "");
  for (const name of ["old.xml", "old.jsonl"]) chmodSync(join(cwd, name), 0o664);
  const lines = [
    "exec --audit-report new.xml --log-file made/new.jsonl -- true",
    "exec --audit-report old.xml --log-file old.jsonl -- true",
    `check --report new.txt --profile profile.json --target ${NOBODY}`,
    `audit --output audit.txt --base-url ${NOBODY}`,
  ];
  for (const line of lines) {
    const program = ["sh", "-c", 'umask 000; exec "$@"', "sh", ...PROGRAM];
    await runMomo(line.split(" "), { cwd, env: KEY, program });
  }
  const modes = ["new.xml", "made/new.jsonl", "new.txt", "profile.json", "audit.txt", "old.xml", "old.jsonl"].map(
    (name) => `${name} ${(statSync(join(cwd, name)).mode & 0o777).toString(8)}`,
  );
  expect(modes).toEqual([
    ...["new.xml 600", "made/new.jsonl 600", "new.txt 600", "profile.json 600", "audit.txt 600"],
    ...["old.xml 664", "old.jsonl 664"],
  ]);
});

test("a report replaces what a link leads to, and no other name of a file", async () => {
  const cwd = newFolder();
  mkdirSync(join(cwd, "sub"));
  for (const name of ["sub/target.xml", "precious.xml"]) writeFileSync(join(cwd, name), "precious");
  symlinkSync("sub/target.xml", join(cwd, "link.xml"));
  linkSync(join(cwd, "precious.xml"), join(cwd, "hard.xml"));
  for (const name of ["link.xml", "hard.xml"])
    expect((await momo(["exec", "--audit-report", name, "--", "true"], cwd)).exitCode).toBe(0);
  expect(readFileSync(join(cwd, "sub/target.xml"), "utf8")).toContain("<testsuites");
  expect(readFileSync(join(cwd, "hard.xml"), "utf8")).toContain("<testsuites");
  expect(readFileSync(join(cwd, "precious.xml"), "utf8")).toBe("precious");
  expect(readdirSync(cwd).sort()).toEqual(["hard.xml", "link.xml", "precious.xml", "sub"]);
});

test("a draft takes no name that another file has", () => {
  const file = join(newFolder(), "r.xml");
  writeFileSync(`${file}.${process.pid}.tmp`, "notes");
  new NamedFile("--report", file).write("new");
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(readFileSync(`${file}.${process.pid}.tmp`, "utf8")).toBe("notes");
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

describe("--log-file", () => {
  const ASK = `const { MOMO_BASE_URL, MOMO_API_SECRET } = process.env;
    for (const path of ["/one", "/two"]) await fetch(MOMO_BASE_URL + path, { headers: { "X-API-Secret": MOMO_API_SECRET } });`;

  test.concurrent("keeps each request with its answer, without secrets", async () => {
    const cwd = newFolder();
    const command = ["exec", "--log-file", "made/log.jsonl", "--", process.execPath, "-e", ASK];
    expect(await momo(command, cwd)).toMatchObject({ exitCode: 0, stdout: "", stderr: "" });
    const text = readFileSync(join(cwd, "made/log.jsonl"), "utf8");
    expect(text).not.toContain(KEY.MOMO_API_SECRET);
    expect(JSON.parse(`[${text.trimEnd().replaceAll("\n", ",")}]`)).toMatchObject([
      { id: 1, method: "GET", target: "/v2/one", status: 404, answer: { success: false } },
      { id: 2, target: "/v2/two" },
    ]);
  });

  test.concurrent("is written while the command runs, so a killed momo leaves it", async () => {
    const cwd = newFolder();
    const script = `${ASK}; process.kill(process.ppid, "SIGKILL");`;
    const run = await momo(["exec", "--log-file", "log.jsonl", "--", process.execPath, "-e", script], cwd);
    expect(run.exitCode).toBe(137);
    const lines = readFileSync(join(cwd, "log.jsonl"), "utf8").trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { target: string }).target)).toEqual(["/v2/one", "/v2/two"]);
  });

  test.concurrent("has control characters, and marks that turn text, as escapes", async () => {
    const cwd = newFolder();
    const body = JSON.stringify("\u001b[31m \u009b \u202e \u2028");
    const send = `fetch(process.env.MOMO_BASE_URL + "/stkpush.php", { method: "POST", body: ${body} })`;
    await momo(["exec", "--log-file", "log.jsonl", "--", process.execPath, "-e", `await ${send}`], cwd);
    const text = readFileSync(join(cwd, "log.jsonl"), "utf8");
    expect(text).not.toMatch(/[^\n\x20-\x7E§“”…]/);
    expect(JSON.parse(text)).toMatchObject({ body: JSON.parse(body) as string });
  });

  test("ends at 64 MB with a line that says so", () => {
    const file = join(newFolder(), "log.jsonl");
    const lines = new NamedFile("--log-file", file).openLines();
    const line = JSON.stringify("x".repeat(999_997));
    for (let count = 0; count < 70; count += 1) lines.add(line);
    expect(lines.close()?.message).toBe(`--log-file ${file} is full (64 MB): it lacks the last 7 lines`);
    expect(statSync(file).size).toBeLessThanOrEqual(64_000_000);
    const kept = readFileSync(file, "utf8").trimEnd().split("\n");
    expect(kept).toHaveLength(64);
    expect(JSON.parse(kept.at(-1) ?? "")).toEqual({
      error: { code: "full", message: "64 MB are written: later requests are left out" },
    });
  });

  test.concurrent("to /dev/stdout, or to a file that is open already, comes after what is there", async () => {
    const cwd = newFolder();
    const program = ["sh", "-c", '"$@" | cat', "sh", ...PROGRAM]; // the pipe of a shell
    const words = ["exec", "--log-file", "/dev/stdout", "--", process.execPath, "-e", `console.log("own");${ASK}`];
    const { stdout, exitCode, stderr } = await runMomo(words, { cwd, env: KEY, program });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(/^own\n{"id":1,.*}\n{"id":2,.*}\n$/);
  });
});

test.skipIf(process.platform !== "linux")("a report to what is open already comes after its content", () => {
  const file = join(newFolder(), "output.txt");
  writeFileSync(file, "output, ");
  const descriptor = openSync(file, "a");
  new NamedFile("--report", `/proc/self/fd/${descriptor}`).write("report");
  closeSync(descriptor);
  expect(readFileSync(file, "utf8")).toBe("output, report");
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
