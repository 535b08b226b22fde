import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  closeSync,
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
import { NamedFile } from "../../cli/files/named-files.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { holdSilentOrigin } from "../support/fake-server.ts";
import { TestIo } from "../support/io.ts";
import { PROGRAM, type Run, runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const KEY = { MOMO_API_KEY: `mk_${"1".repeat(16)}`, MOMO_API_SECRET: `ms_${"1".repeat(32)}` };

const momo = (words: readonly string[], cwd: string): Promise<Run> =>
  runMomo(words, { cwd, env: KEY, program: PROGRAM });

const OLD = '<testsuites name="momo audit" tests="1">';

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
      stderr: expect.stringMatching(
        new RegExp(`^(?:momo audit: .+\n)?momo: ${option} ${file} ${CHANGED}\n      name another file\n$`),
      ),
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
      expect(run.stderr).toContain(`momo: ${option} cannot be written: the disk is full (ENOSPC)\n`);
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
  writeFileSync(join(cwd, "old.xml"), OLD);
  writeFileSync(join(cwd, "old.jsonl"), "");
  for (const name of ["old.xml", "old.jsonl"]) chmodSync(join(cwd, name), 0o664);
  const silent = await holdSilentOrigin();
  const lines = [
    "exec --audit-report new.xml --log-file made/new.jsonl -- true",
    "exec --audit-report old.xml --log-file old.jsonl -- true",
    `check --report new.txt --profile profile.json --target ${silent}/v2`,
    `audit --output audit.txt --base-url ${silent}/v2`,
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
  new NamedFile(new TestIo(), "--report", file).write("new");
  expect(readFileSync(file, "utf8")).toBe("new");
  expect(readFileSync(`${file}.${process.pid}.tmp`, "utf8")).toBe("notes");
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
    const lines = new NamedFile(new TestIo(), "--log-file", file).openLines();
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
  new NamedFile(new TestIo(), "--report", `/proc/self/fd/${descriptor}`).write("report");
  closeSync(descriptor);
  expect(readFileSync(file, "utf8")).toBe("output, report");
});
