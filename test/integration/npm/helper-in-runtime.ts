import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../../support/cleanup.ts";
import { runToEnd, startMomo } from "../../support/momo.ts";
import { until } from "../../support/waiting.ts";

/** What the test helper must do in every runtime, in a project that has it in its node_modules. */

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
  const poll = JSON.stringify({ checkout_request_id: checkoutRequestId });
  await (await fetch(sandbox.baseUrl + "/status.php", { method: "POST", headers, body: poll })).json();
  const { findings } = await sandbox.audit();
  const requests = await sandbox.requests();
  await sandbox.snapshot("one");
  await sandbox.reset();
  await sandbox.restore("one");
  const refused = await startSandbox({ promptTimeout: "soon" }).catch((error) => error.message);
  await sandbox.stop();
  await sandbox.stop();
  const timers = process.getActiveResourcesInfo?.().filter((name) => name === "Timeout").length ?? 0;
  const gone = await sandbox.requests().catch((error) => error.message.endsWith("was stopped"));
  console.log(JSON.stringify({ status, findings: findings.length, requests: requests.length, refused, timers, gone }));
})();
`;

const EXPECTED = {
  status: "cancelled",
  findings: 0,
  requests: 2,
  refused: expect.stringMatching(/^--prompt-timeout /),
  timers: 0,
  gone: true,
};

/**
 * Defines the tests for a runtime.
 * @param command runs a file; the name of the file is added
 * @param projectOf is called when the tests run
 */
export function testHelperIn(runtime: string, command: readonly string[], projectOf: () => string): void {
  const write = (name: string, code: string) => {
    writeFileSync(join(projectOf(), name), code);
    return [...command, name];
  };

  for (const [format, name, line] of [
    ["ESM", "use.mjs", 'import { startSandbox } from "stkpush-sandbox/testing";'],
    ["CommonJS", "use.cjs", 'const { startSandbox } = require("stkpush-sandbox/testing");'],
  ] as const) {
    test(`in ${runtime}, ${format}: a payment, the clock, the log, a snapshot, a refusal, an end`, async () => {
      // Variables of another sandbox do not affect this one.
      const env = { MOMO_SERVE_OUTCOME: "completed", MOMO_API_KEY: "mk_x", MOMO_CONTROL_TOKEN: "another-token-1234" };
      const run = await runToEnd(write(name, line + BODY), { cwd: projectOf(), env });
      expect({ stderr: run.stderr, exitCode: run.exitCode }).toEqual({ stderr: "", exitCode: 0 });
      expect(JSON.parse(run.stdout)).toEqual(EXPECTED);
    });
  }

  test(`in ${runtime}: the sandbox ends with a test process that is killed, or that does not stop it`, async () => {
    const options = { cwd: projectOf(), env: { TMPDIR: newFolder() } };
    const start = `import { startSandbox } from "stkpush-sandbox/testing";
    const sandbox = await startSandbox();
    console.log(sandbox.controlUrl);`;
    const answers = (url: string) => fetch(`${url}/health`).then(Boolean, () => false);

    const child = startMomo([], { ...options, program: write("stay.mjs", `${start} setInterval(() => {}, 1000);`) });
    const [controlUrl = ""] = await child.stdout.until(/http\S+(?=\n)/);
    expect(await answers(controlUrl)).toBe(true);
    child.signal("SIGKILL");
    await child.exited;
    const forgets = await runToEnd(write("forget.mjs", start), options);
    expect(forgets.exitCode).toBe(0);

    for (const url of [controlUrl, forgets.stdout.trim()]) {
      await until(async () => !(await answers(url)));
    }
    await until(() => readdirSync(options.env.TMPDIR).length === 0);
  });
}
