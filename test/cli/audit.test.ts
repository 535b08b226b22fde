import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatOfFile } from "../../cli/serving/audit-report.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { PROGRAM, runMomo } from "../support/momo.ts";

afterAll(cleanUp);

describe("momo audit", () => {
  test.concurrent("at the address of another program: exit 1; with an unknown format or severity: exit 2", async () => {
    const other = serveFake(() => Response.json({ success: true, message: "hello" }));
    expect(await runMomo(["audit", "--base-url", other.baseUrl])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("answered without findings"),
    });
    expect((await runMomo(["audit", "--format", "html"])).exitCode).toBe(2);
    expect((await runMomo(["audit", "--fail-on", "bad"])).exitCode).toBe(2);
  });
});

describe("momo exec --audit", () => {
  const exec = (flags: readonly string[], ...command: string[]) => runMomo(["exec", ...flags, "--", ...command]);
  const pay = (...flags: string[]) => [...PROGRAM, "pay", "0712345678", "100", "-q", ...flags];

  /** A program that requests the list once, with this query. */
  const listing = (query: string, andThen = "") => {
    const script = `const { MOMO_BASE_URL: url, MOMO_API_KEY: key, MOMO_API_SECRET: secret } = process.env;
      await fetch(url + "/transactions.php?${query}", { headers: { "X-API-Key": key, "X-API-Secret": secret } });
      ${andThen}`;
    return [process.execPath, "-e", script] as const;
  };
  const TAKES_WRONG_ROW = "reference=A"; // an error
  const UNKNOWN_PARAMETER = "sort=desc"; // a note

  test.concurrent("a command without mistakes keeps its exit code, and one line says what happened; -q leaves it out", async () => {
    const command = pay("--outcome", "completed; after=0s", "--wait", "--interval", "50ms");
    const stderr = expect.stringMatching(
      /^momo audit: \d requests: \d accepted, 0 refused; 1 payment started, 1 paid, 0 not followed; 0 errors, 0 warnings, 0 notes\n$/,
    );
    expect(await exec(["--audit"], ...command)).toEqual({ stdout: "completed\n", stderr, exitCode: 0 });
    expect(await exec(["--audit", "-q"], ...command)).toEqual({ stdout: "completed\n", stderr: "", exitCode: 0 });
  });

  test.concurrent("exit code 7 if the command sends no request, or each is refused", async () => {
    const none = await exec(["--audit"], "true");
    expect(none).toMatchObject({ exitCode: 7, stderr: expect.stringContaining("No request came.") });
    const refused = await exec(["--audit", "-q"], ...pay("--account", "17"), "--json");
    expect(refused).toMatchObject({
      exitCode: 5,
      stderr: expect.stringMatching(/nothing_accepted.*\n.*“payment_account_id/),
    });
    const hosts = await exec(["--audit", "--intercept", "payflow.example,a.example"], "true");
    expect(hosts.stderr).toContain("No request came; nothing reached payflow.example or a.example.");
    expect(hosts.exitCode).toBe(7);
  });

  test.concurrent("a command that resets the sandbox at its end has still sent requests", async () => {
    const reset = 'await fetch(process.env.MOMO_CONTROL_URL + "/reset", { method: "POST" });';
    expect(await exec(["--audit"], ...listing("page=1", reset))).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^momo audit: since the last reset, 0 requests: .*0 notes\n$/),
    });
  });

  test.concurrent("exit code 7 for a mistake of the given severity, by default an error", async () => {
    const wrong = await exec(["--audit"], ...listing(TAKES_WRONG_ROW));
    expect(wrong.exitCode).toBe(7);
    expect(wrong.stderr).toMatch(/^momo audit: 1 request: .* 1 error, .*\n\nerror: takes_wrong_row\n/);
    expect((await exec(["--audit"], ...listing(UNKNOWN_PARAMETER))).exitCode).toBe(0);
    expect((await exec(["--audit=note"], ...listing(UNKNOWN_PARAMETER))).exitCode).toBe(7);
  });

  test.concurrent("a command that fails keeps its own exit code", async () => {
    expect((await exec(["--audit"], ...listing(TAKES_WRONG_ROW, "process.exit(3)"))).exitCode).toBe(3);
  });

  test.concurrent("a payment that the command leaves pending runs to its end before the audit", async () => {
    const momo = PROGRAM.map((word) => `'${word}'`).join(" ");
    const script = `id=$(${momo} pay 0712345678 100 -q) && ${momo} status $id -q >/dev/null`;
    expect(await exec(["--audit"], "sh", "-c", script)).toMatchObject({
      exitCode: 7,
      stderr: expect.stringContaining("It is completed now: the customer has paid"),
    });
  });

  test.concurrent("--audit-report writes a report that others can read, whatever the exit code", async () => {
    const file = join(newFolder(), "audit.xml");
    const command = ["exec", "--audit-report", file, "--", ...listing(TAKES_WRONG_ROW, "process.exit(9)")];
    const run = await runMomo(command, { program: ["sh", "-c", 'umask 022; exec "$@"', "sh", ...PROGRAM] });
    expect(run).toEqual({ stdout: "", stderr: "", exitCode: 9 });
    expect(readFileSync(file, "utf8")).toMatch(/^<\?xml[\s\S]* failures="1"/);
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  test.each([
    ["audit.xml", "junit"],
    ["audit.sarif", "sarif"],
    ["audit.json", "json"],
    ["a.b/audit.TXT", "text"],
  ])("a report with the name %s is written as %s", (file, format) => {
    expect(formatOfFile(file)).toBe(format as ReturnType<typeof formatOfFile>);
  });

  test.concurrent("a report with an unknown format, or that cannot be written, is refused before the command runs", async () => {
    const folder = newFolder();
    const [file, ran] = [join(folder, "file"), join(folder, "ran")];
    writeFileSync(file, "");
    expect(await exec(["--audit-report", "audit.html"], "touch", ran)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("JUnit in .xml"),
    });
    expect(await exec(["--audit-report", join(file, "audit.xml")], "touch", ran)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("cannot be written"),
    });
    expect(existsSync(ran)).toBe(false);
  });
});
