import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json";
import { ROOT } from "../support/binary.ts";
import { startChild } from "../support/child.ts";
import { cleanUp, later } from "../support/cleanup.ts";
import { readDocument } from "../support/documents.ts";
import { HOST, installPackages } from "../support/installed.ts";
import { cleanEnvironment, runToEnd } from "../support/momo.ts";
import { until } from "../support/until.ts";

/** The npm packages as a project has them, used by the real runtimes. */

let project: string;
beforeAll(async () => {
  project = await installPackages();
});
afterAll(cleanUp);

const ELSEWHERE = join(ROOT, "test/intercept/node_modules");
const DENO = join(ELSEWHERE, "@deno/linux-x64-glibc/deno");

/** Deno gets no more than docs/testing.md says. */
const RUNTIMES: readonly (readonly [name: string, command: readonly string[]])[] = [
  ["Node", ["node"]],
  ["Node 22", [join(ELSEWHERE, "node-22/bin/node")]],
  ["Node 24", [join(ELSEWHERE, "node-24/bin/node")]],
  ["Bun", [process.execPath]],
  ["Deno", [DENO, "run", "--no-prompt", ...denoPermissions()]],
];

const isHere = ([program = ""]: readonly string[]): boolean => Bun.which(program) !== null;

function denoPermissions(): string[] {
  const [, flags = ""] = /`deno test ([^`]*--allow-run[^`]*)`/.exec(readDocument("docs/testing.md").text) ?? [];
  return flags.split(" ");
}

/** What a test does, after the line that brings in `startSandbox`. */
const BODY = `
(async () => {
  const sandbox = await startSandbox({ frozen: true, outcome: "cancelled; after=5s" });
  const headers = { ...sandbox.headers, "Content-Type": "application/json" };
  const body = JSON.stringify({ payment_account_id: sandbox.paymentAccountId, phone: "0712345678", amount: 100 });
  const answer = await fetch(sandbox.baseUrl + "/stkpush.php", { method: "POST", headers, body });
  const { checkout_request_id: checkoutRequestId } = await answer.json();
  await sandbox.clock.advance("5s");
  const { status } = await sandbox.wait({ checkoutRequestId });
  const findings = await sandbox.audit();
  const requests = await sandbox.requests();
  await sandbox.snapshot("one");
  await sandbox.reset();
  await sandbox.restore("one");
  const refused = await startSandbox({ promptTimeout: "soon" }).catch((error) => error.message);
  await sandbox.stop();
  await sandbox.stop();
  const gone = await sandbox.requests().catch((error) => error.message.includes("does not answer"));
  console.log(JSON.stringify({ status, findings: findings.length, requests: requests.length, refused, gone }));
})();
`;

const EXPECTED = {
  status: "cancelled",
  findings: 0,
  requests: 1,
  refused: expect.stringMatching(/^promptTimeout /),
  gone: true,
};

async function runFile(command: readonly string[], name: string, code: string, env: Record<string, string> = {}) {
  writeFileSync(join(project, name), code);
  return runToEnd([...command, name], { cwd: project, env });
}

describe("momo-sandbox/testing", () => {
  for (const [runtime, command] of RUNTIMES) {
    if (!isHere(command)) {
      test(`in ${runtime}: left out; npm install --prefix test/intercept --ignore-scripts`, () => {});
      continue;
    }
    for (const [format, name, line] of [
      ["ESM", "use.mjs", 'import { startSandbox } from "momo-sandbox/testing";'],
      ["CommonJS", "use.cjs", 'const { startSandbox } = require("momo-sandbox/testing");'],
    ] as const) {
      test(`in ${runtime}, ${format}: a payment, the clock, the log, a snapshot, a refusal, an end`, async () => {
        // What belongs to another sandbox does not reach this one.
        const env = { MOMO_SERVE_OUTCOME: "completed", MOMO_API_KEY: "mk_x", MOMO_CONTROL_TOKEN: "another-token-1234" };
        const run = await runFile(command, name, line + BODY, env);
        expect({ stderr: run.stderr, exitCode: run.exitCode }).toEqual({ stderr: "", exitCode: 0 });
        expect(JSON.parse(run.stdout)).toEqual(EXPECTED);
      });
    }

    test(`in ${runtime}: a test process that is killed takes its sandbox with it, and one that forgets it ends`, async () => {
      const start = `import { startSandbox } from "momo-sandbox/testing";
        const sandbox = await startSandbox();
        console.log(sandbox.controlUrl);`;
      const name = runtime.replace(" ", "-");
      writeFileSync(join(project, `stay-${name}.mjs`), `${start} setInterval(() => {}, 1000);`);
      const env = cleanEnvironment(project);
      const child = startChild([...command, `stay-${name}.mjs`], { cwd: project, env });
      later(() => child.signal("SIGKILL"));
      const [controlUrl = ""] = await child.stdout.until(/http\S+(?=\n)/);
      const answers = async () => (await fetch(`${controlUrl}/health`).catch(() => null)) !== null;
      expect(await answers()).toBe(true);
      child.signal("SIGKILL");
      await child.exited;
      await until(answers, (isThere) => !isThere);

      const forgets = await runFile(command, `forget-${name}.mjs`, start);
      expect(forgets.exitCode).toBe(0);
      const url = forgets.stdout.trim();
      const stays = async () => (await fetch(`${url}/health`).catch(() => null)) !== null;
      await until(stays, (isThere) => !isThere);
      await until(
        async () => readdirSync(env.TMPDIR ?? ""),
        (names) => names.length === 0,
      );
    });
  }

  test("its types satisfy a strict tsc, nodenext and bundler, in ESM and CommonJS, without the types of any runtime", async () => {
    const use = `const sandbox: TestSandbox = await startSandbox({ outcome: "cancelled; after=1s", frozen: true });
      await sandbox.rules.add({ outcome: "completed", match: { amount: 5 }, times: 1 });
      const { status }: { status: "pending" | "completed" | "failed" | "cancelled" | "expired" } = await sandbox.wait({ reference: "A" });
      // @ts-expect-error there is no such outcome
      await startSandbox({ outcome: "paid" });
      export default status;`;
    const line = 'import { startSandbox, type TestSandbox } from "momo-sandbox/testing";';
    writeFileSync(join(project, "types.mts"), `${line}\n${use}`);
    writeFileSync(
      join(project, "types.cts"),
      `${line}\nasync function f() { ${use.replace("export default status", "return status")} }\nexport { f };`,
    );
    const flags = ["--strict", "--exactOptionalPropertyTypes", "--noEmit", "--target", "es2022", "--types", ""];
    for (const resolution of [
      ["--module", "nodenext"],
      ["--module", "preserve", "--moduleResolution", "bundler"],
    ]) {
      const tsc = [join(ROOT, "node_modules/.bin/tsc"), ...flags, ...resolution, "types.mts", "types.cts"];
      expect(await runToEnd(tsc, { cwd: project })).toEqual({ stdout: "", stderr: "", exitCode: 0 });
    }
  });
});

describe("the command momo of the package", () => {
  const momo = () => join(project, "node_modules/.bin/momo");

  test("is the executable: its output, its exit codes", async () => {
    expect(await runToEnd([momo(), "--version"])).toEqual({
      stdout: `${packageJson.version}\n`,
      stderr: "",
      exitCode: 0,
    });
    expect(await runToEnd([momo(), "frobnicate"])).toMatchObject({ stdout: "", exitCode: 2 });
  });

  test.each(["SIGTERM", "SIGINT"] as const)("%s reaches the server, which ends in order", async (signal) => {
    const child = startChild([momo(), "serve", "--ephemeral", "--port", "0", "--json"], {
      cwd: project,
      env: cleanEnvironment(project),
    });
    later(() => child.signal("SIGKILL"));
    const [line] = await child.stdout.until(/^.*\n/);
    child.signal(signal);
    expect(await child.exited).toBe(0);
    expect(existsSync(JSON.parse(line).data)).toBe(false);
  });

  test("says in one line what to do where the package for this system is missing, or may not be executed", async () => {
    const without = await installPackages({ platform: false });
    const run = await runToEnd([join(without, "node_modules/.bin/momo"), "--version"]);
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
    expect(run.stderr).toMatch(
      /^momo: the package @momo-sandbox\/\S+.* is missing.*install again without --omit=optional\n$/,
    );

    const executable = join(project, "node_modules/@momo-sandbox", HOST.name, "bin", HOST.executable);
    chmodSync(executable, 0o644);
    const refused = await runToEnd([momo(), "--version"]);
    chmodSync(executable, 0o755);
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^momo: .* may not be executed: chmod \+x it.*\n$/),
    });
  });

  test("a system that momo is not built for is refused by name", async () => {
    const { findExecutable } = await import(join(project, "node_modules/momo-sandbox/executable.cjs"));
    expect(() => findExecutable({ platform: "aix", arch: "ppc64", env: {} })).toThrow("no executable for aix on ppc64");
    expect(() => findExecutable({ platform: "linux", arch: "riscv64", env: {} })).toThrow("linux on riscv64");
  });

  test("a Node that is too old is refused by name", async () => {
    const { findExecutable } = await import(join(project, "node_modules/momo-sandbox/executable.cjs"));
    expect(() => findExecutable({ node: "18.20.8", env: {} })).toThrow(
      "Node 18.20.8 is too old: momo-sandbox needs Node 20",
    );
    expect(findExecutable({ node: "20.0.0", env: {} })).toEndWith(HOST.executable);
  });
});

test("the package is small, has no install script, and names a package for each system", () => {
  const folder = join(project, "node_modules/momo-sandbox");
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  expect(manifest.scripts).toBeUndefined();
  expect(manifest.dependencies).toBeUndefined();
  expect(Object.values(manifest.optionalDependencies)).toEqual(Array(8).fill(packageJson.version));
  expect(readdirSync(folder).sort()).toEqual([
    "LICENSE",
    "README.md",
    "bin",
    "executable.cjs",
    "package.json",
    "testing.cjs",
    "testing.d.cts",
    "testing.d.mts",
    "testing.mjs",
  ]);
  for (const name of ["testing.mjs", "testing.cjs"])
    expect(readFileSync(join(folder, name), "utf8")).not.toContain(ROOT);
  rmSync(join(project, "use.mjs"), { force: true });
});
