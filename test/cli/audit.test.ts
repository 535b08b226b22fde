import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { failureOf, PROGRAM, runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

/** How a shell calls the program. */
const MOMO = PROGRAM.map((word) => `'${word}'`).join(" ");
const GOOD = `${MOMO} pay 0712345678 100 --outcome 'completed; after=10ms' --wait -q >/dev/null`;
const WRONG_ROW =
  'curl -s -H "X-API-Key: $MOMO_API_KEY" -H "X-API-Secret: $MOMO_API_SECRET" "$MOMO_BASE_URL/transactions.php?reference=A" >/dev/null';
const PARAMETER = WRONG_ROW.replace("reference", "sort");

const exec = (flags: readonly string[], script: string) => runMomo(["exec", ...flags, "--", "sh", "-c", script]);

describe("momo audit", () => {
  test("prints what clients have done wrong, in each format, and ends with 7 where --fail-on says so", async () => {
    const server = await serveMomo();
    const momo = (...args: string[]) => runMomo(["audit", ...args, ...server.at]);
    expect(await momo("--fail-on", "note")).toEqual({ stdout: "nothing found\n", stderr: "", exitCode: 0 });
    await server.get("/transactions.php?sort=desc");
    expect(await momo("--fail-on", "warning")).toMatchObject({ exitCode: 0 });
    expect(await momo("--fail-on", "note")).toMatchObject({
      exitCode: 7,
      stdout: expect.stringContaining("unknown_parameter"),
    });
    await server.get("/transactions.php?reference=A");
    const text = await momo();
    expect(text).toMatchObject({ stderr: "", exitCode: 0 });
    expect(text.stdout).toEndWith("\n1 error, 1 note\n");
    expect(JSON.parse((await momo("--json")).stdout)).toMatchObject({ errors: 1, notes: 1 });
    expect(JSON.parse((await momo("--format", "sarif")).stdout)).toMatchObject({ version: "2.1.0" });
    expect((await momo("--format", "github")).stdout).toStartWith("::error ");
    expect((await momo("--format", "junit")).stdout).toContain('failures="1"');
    expect((await momo("--format", "junit", "--fail-on", "note")).stdout).toContain('failures="2"');

    const file = join(newFolder(), "audit.xml");
    expect(await momo("--format", "junit", "--output", file, "--fail-on", "error")).toEqual({
      stdout: "",
      stderr: "",
      exitCode: 7,
    });
    expect(readFileSync(file, "utf8")).toStartWith("<?xml");
    const nowhere = join(newFolder(), "gone", "audit.xml");
    expect(await momo("--output", nowhere)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`${nowhere} cannot be written (ENOENT)`),
    });
  });

  test("without a server, with another program in its place, with a format or severity that is none", async () => {
    const data = newFolder();
    expect(failureOf(await runMomo(["audit", "--json", "--data", data])).code).not.toBe("usage");
    const other = serveFake(() => Response.json({ success: true, message: "hello" }));
    expect(await runMomo(["audit", "--base-url", other.baseUrl])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("answered without findings"),
    });
    for (const flags of [
      ["--format", "html"],
      ["--fail-on", "bad"],
      ["--json", "--format", "text"],
    ]) {
      expect(await runMomo(["audit", ...flags])).toMatchObject({ exitCode: 2 });
    }
  });
});

describe("momo exec --audit", () => {
  test.concurrent("a command that does all right ends as it does, and nothing is said", async () => {
    expect(await exec(["--audit"], GOOD)).toEqual({ stdout: "", stderr: "", exitCode: 0 });
  });

  test.concurrent("a mistake of that severity ends with 7, by default an error", async () => {
    const wrong = await exec(["--audit"], WRONG_ROW);
    expect(wrong.exitCode).toBe(7);
    expect(wrong.stderr).toStartWith("momo audit: error: takes_wrong_row (§4.3)\n");
    expect((await exec(["--audit"], PARAMETER)).exitCode).toBe(0);
    expect((await exec(["--audit=warning"], PARAMETER)).exitCode).toBe(0);
    expect((await exec(["--audit=note"], PARAMETER)).exitCode).toBe(7);
  });

  test.concurrent("a command that fails keeps its own exit code", async () => {
    expect((await exec(["--audit"], `${WRONG_ROW}; exit 3`)).exitCode).toBe(3);
  });

  test.concurrent("a payment that it leaves pending comes to its end: what it has not asked by then it never asks", async () => {
    const gone = await exec(["--audit"], `id=$(${MOMO} pay 0712345678 100 -q) && ${MOMO} status $id -q >/dev/null`);
    expect(gone).toMatchObject({
      exitCode: 7,
      stderr: expect.stringContaining("It is completed now: the customer has paid"),
    });
    const never = await exec(["--audit"], `${MOMO} pay 0712345678 100 -q >/dev/null`);
    expect(never).toMatchObject({ exitCode: 7, stderr: expect.stringContaining("error: never_polls") });
    const stopped = await exec(
      ["--audit"],
      `${MOMO} clock freeze -q >/dev/null; ${MOMO} pay 0712345678 100 -q >/dev/null`,
    );
    expect(stopped).toMatchObject({ exitCode: 0 });
  });

  test.concurrent("--audit-report writes the form that the file's name asks for, whatever the exit code", async () => {
    const folder = newFolder();
    for (const [name, start, script, exitCode] of [
      ["audit.xml", "<?xml", WRONG_ROW, 0],
      ["audit.sarif", '{\n  "$schema"', `${WRONG_ROW}; exit 9`, 9],
      ["audit.json", '{\n  "errors": 1', "kill -TERM $$", 143],
      ["audit.TXT", "error: takes_wrong_row", WRONG_ROW, 0],
    ] as const) {
      const file = join(folder, name);
      const run = await exec(["--audit-report", file], name === "audit.json" ? `${WRONG_ROW}; ${script}` : script);
      expect(run).toEqual({ stdout: "", stderr: "", exitCode });
      expect(readFileSync(file, "utf8")).toStartWith(start);
    }
    expect(statSync(join(folder, "audit.xml")).mode & 0o044).not.toBe(0);
  });

  test.concurrent("a report that has no form, or cannot be written, is refused before the command runs", async () => {
    const ran = join(newFolder(), "ran");
    const run = (report: string) => exec(["--audit-report", report], `touch ${ran}`);
    expect(await run("audit.html")).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("JUnit in .xml") });
    const file = join(newFolder(), "file");
    writeFileSync(file, "");
    expect(await run(join(file, "audit.xml"))).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining("cannot be written"),
    });
    expect(existsSync(ran)).toBe(false);
  });
});
