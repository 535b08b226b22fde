import { afterAll, expect, test } from "bun:test";
import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { prepareReport, removeStaleFiles } from "../../cli/serving/output-files.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { expectRefusal, runMomo } from "../support/momo.ts";

afterAll(cleanUp);

const OLD = '<testsuites name="momo audit" tests="1">';

test.concurrent("a command that cannot start, or a wrong line, leaves no report: not an empty one, and not that of an earlier run", async () => {
  for (const line of [
    "exec --audit-report r.xml -- no-such-command",
    "exec --audit-report r.xml --bogus -- true",
    "exec --audit-report=r.xml --rules none -- true",
    "check --report other.json r.xml --target nowhere",
    "check --target http://127.0.0.1:1/v2 --profile r.xml --requests x",
    "audit --output r.xml --base-url http://127.0.0.1:1/v2",
  ]) {
    const cwd = newFolder();
    writeFileSync(join(cwd, "r.xml"), OLD);
    expect((await runMomo(line.split(" "), { cwd })).exitCode).not.toBe(0);
    expect([line, existsSync(join(cwd, "r.xml"))]).toEqual([line, false]);
  }
});

test("exec --log-file keeps each request with its answer, without secrets; without a command that runs there is none", async () => {
  const cwd = newFolder();
  const file = join(cwd, "made/log.jsonl");
  const ask = `const { MOMO_BASE_URL, MOMO_API_SECRET } = process.env;
    for (const path of ["/one", "/two"]) await fetch(MOMO_BASE_URL + path, { headers: { "X-API-Secret": MOMO_API_SECRET } });`;
  const command = ["exec", "--log-file", file, "--", process.execPath, "-e", ask];
  const env = { MOMO_API_KEY: "mk_0123456789abcdef", MOMO_API_SECRET: "ms_0123456789abcdef0123456789abcdef" };
  expect(await runMomo(command, { cwd, env })).toMatchObject({ exitCode: 0, stdout: "" });
  const text = readFileSync(file, "utf8");
  expect(text).not.toContain(env.MOMO_API_SECRET);
  expect(JSON.parse(`[${text.trimEnd().replaceAll("\n", ",")}]`)).toMatchObject([
    { id: 1, method: "GET", target: "/v2/one", status: 404, answer: { success: false } },
    { id: 2, target: "/v2/two" },
  ]);
  for (const [word, exitCode] of [
    ["nosuch", 127],
    ["--bogus", 2],
  ] as const) {
    writeFileSync(file, text);
    expect((await runMomo([...command.slice(0, 3), word], { cwd })).exitCode).toBe(exitCode);
    expect(existsSync(file)).toBe(false);
  }
});

test("a report that the command of momo exec names is not momo's", async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, "r.xml"), OLD);
  await runMomo(["exec", "--after", "1s", "echo", "--audit-report", "r.xml"], { cwd });
  expect(readdirSync(cwd)).toEqual(["r.xml"]);
});

test.each([
  ["notes", true],
  [OLD, false],
])("until a report is written, a file with %j stays: %p", (text, stays) => {
  const file = join(newFolder(), "r.xml");
  writeFileSync(file, text);
  const report = prepareReport(file);
  expect(existsSync(file)).toBe(stays);
  report.write("new");
  expect(readFileSync(file, "utf8")).toBe("new");
});

test("a wrong line removes only what momo wrote", () => {
  const folder = newFolder();
  const files = ["package.json", "other.xml", "momo.xml", "empty.xml"].map((name) => join(folder, name));
  const texts = ['{"name":"shop"}', "<testsuites/>", OLD, ""];
  for (const [index, file] of files.entries()) writeFileSync(file, texts[index] ?? "");
  removeStaleFiles("check", ["--report", ...files, "--bogus"]);
  expect(readdirSync(folder).sort()).toEqual(["other.xml", "package.json"]);
});

test("a wrong line removes the report that a link leads to, and not the link", () => {
  const folder = newFolder();
  writeFileSync(join(folder, "momo.xml"), OLD);
  symlinkSync(join(folder, "momo.xml"), join(folder, "link.xml"));
  removeStaleFiles("audit", ["--output", join(folder, "link.xml")]);
  expect(readdirSync(folder)).toEqual(["link.xml"]);
});

test.skipIf(process.platform !== "linux")(
  "a report to what is open already, such as /dev/stdout, comes after its content",
  () => {
    const file = join(newFolder(), "output.txt");
    writeFileSync(file, "output, ");
    const descriptor = openSync(file, "a");
    prepareReport(`/proc/self/fd/${descriptor}`).write("report");
    closeSync(descriptor);
    expect(readFileSync(file, "utf8")).toBe("output, report");
  },
);

test("a report is made with its folder, replaces the target of a link, and keeps the mode that a new file has", () => {
  const folder = newFolder();
  const file = join(folder, "new/sub/r.xml");
  const report = prepareReport(file);
  const umask = process.umask(0o077);
  report.write("first");
  process.umask(umask);
  expect(statSync(file).mode & 0o777).toBe(0o666 & ~umask);
  const link = join(folder, "link.xml");
  symlinkSync(file, link);
  prepareReport(link).write("second");
  expect(readFileSync(file, "utf8")).toBe("second");
  expect(readdirSync(join(folder, "new/sub"))).toEqual(["r.xml"]);
});

test.concurrent("a named pipe or a folder is no report, and no profile to read: refused by name, without a wait", async () => {
  const cwd = newFolder();
  Bun.spawnSync(["mkfifo", join(cwd, "pipe.json")]);
  chmodSync(cwd, 0o700);
  for (const [line, says] of [
    ["exec --audit-report pipe.json -- true", "the report pipe.json is a pipe"],
    ["check --target http://127.0.0.1:1/v2 --profile pipe.json --json", "the report pipe.json is a pipe"],
    ["audit --output . --json", "the report . is a folder"],
    ["serve --port 0 --profile pipe.json --json", "--profile pipe.json: it is a pipe, and is not opened"],
    ["exec --rules pipe.json -- true", "--rules pipe.json: it is a pipe, and is not opened"],
  ] as const) {
    const env = { MOMO_API_KEY: `mk_${"1".repeat(16)}`, MOMO_API_SECRET: `ms_${"1".repeat(32)}` };
    expect((await runMomo(line.split(" "), { cwd, env })).stderr).toContain(says);
  }
});

test.concurrent("momo audit at the address of another program: exit 1", async () => {
  const other = serveFake(() => Response.json({ success: true, message: "hello" }));
  expectRefusal(await runMomo(["audit", "--base-url", other.baseUrl]), 1, "answered without findings");
});
