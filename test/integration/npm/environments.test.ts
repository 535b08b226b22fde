import { afterAll, beforeAll, describe, expect } from "bun:test";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/binary.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { runToEnd } from "../../support/momo.ts";
import { testWith } from "../../support/needs.ts";
import { TEST_TIMEOUT_MS } from "../../support/waiting.ts";
import { installPackages } from "./packages.ts";

/** The test helper where a test has replaced what programs reach the network and the time with. */

const PACKAGES = join(ROOT, "test/integration/npm/node_modules");
const LINKED = ["vitest", "jest", "jest-environment-jsdom", "happy-dom", "jsdom", "nock", "msw"];

const NO_LIMIT = String(TEST_TIMEOUT_MS);
const VITEST = ["node", "node_modules/vitest/vitest.mjs", "run", "--testTimeout", NO_LIMIT];
const JEST = ["node", "--experimental-vm-modules", "node_modules/jest/bin/jest.js", "--testTimeout", NO_LIMIT];

interface Environment {
  readonly name: string;
  readonly runner: "vitest" | "jest";
  /** Of the runner: a DOM, or by default Node. */
  readonly environment?: "node" | "jsdom" | "happy-dom";
  readonly imports?: string;
  /** Replaces the network or the time before the sandbox starts. */
  readonly before: string;
  /** Proves that the replacement was there for the whole test. */
  readonly after: string;
}

const HAS_DOM = 'expect(document.createElement("p").tagName).toBe("P");';
const IN_DOM = { before: HAS_DOM, after: HAS_DOM };
const NO_NETWORK = 'await expect(fetch("http://127.0.0.1:9/")).rejects.toThrow();';

const ENVIRONMENTS: readonly Environment[] = [
  { name: "vitest with happy-dom", runner: "vitest", environment: "happy-dom", ...IN_DOM },
  { name: "vitest with jsdom", runner: "vitest", environment: "jsdom", ...IN_DOM },
  { name: "jest with jsdom", runner: "jest", environment: "jsdom", ...IN_DOM },
  {
    name: "vitest with a stub of fetch, and fake timers",
    runner: "vitest",
    imports: 'import { vi } from "vitest";',
    before: `vi.stubGlobal("fetch", vi.fn(() => Promise.reject(new Error("no network"))));
      vi.useFakeTimers();`,
    after: "expect(fetch).not.toHaveBeenCalled(); expect(vi.isFakeTimers()).toBe(true);",
  },
  {
    name: "vitest with nock",
    runner: "vitest",
    imports: 'import nock from "nock";',
    before: "nock.disableNetConnect();",
    after: NO_NETWORK,
  },
  {
    name: "vitest with msw",
    runner: "vitest",
    imports: 'import { setupServer } from "msw/node";',
    before: 'const server = setupServer(); server.listen({ onUnhandledRequest: "error" });',
    after: `${NO_NETWORK} server.close();`,
  },
];

/** A shop that pays without the `fetch` of the test. */
const SHOP = `import { connect } from "node:net";

const post = ({ baseUrl, headers }, operation, body) =>
  new Promise((resolve, reject) => {
    const { hostname, port, pathname } = new URL(baseUrl);
    const content = JSON.stringify(body);
    const lines = [
      "POST " + pathname + operation + " HTTP/1.1",
      "Host: " + hostname,
      "Connection: close",
      "Content-Type: application/json",
      "Content-Length: " + content.length,
      ...Object.entries(headers).map(([name, value]) => name + ": " + value),
    ];
    let answer = "";
    const socket = connect(Number(port), hostname);
    socket.on("data", (bytes) => (answer += bytes)).on("error", reject);
    socket.on("end", () => resolve(JSON.parse(answer.split("\\r\\n\\r\\n")[1])));
    socket.write(lines.join("\\r\\n") + "\\r\\n\\r\\n" + content); // a half-closed connection gets no answer
  });

export const pay = (sandbox) =>
  post(sandbox, "/stkpush.php", { payment_account_id: sandbox.paymentAccountId, phone: "0712345678", amount: 100 });
export const statusOf = (sandbox, checkout_request_id) => post(sandbox, "/status.php", { checkout_request_id });
`;

/** The second test expects another end of the payment: it must fail. */
const testsOf = ({ runner, environment = "node", imports = "", before, after }: Environment) => `/**
 * @${runner}-environment ${environment}
 */
${imports}
${runner === "vitest" ? 'import { expect, test } from "vitest";' : ""}
import { startSandbox } from "stkpush-sandbox/testing";
import { pay, statusOf } from "./shop.mjs";

for (const status of ["cancelled", "completed"]) {
  test("a payment that ends as " + status, async () => {
    ${before}
    const sandbox = await startSandbox({ frozen: true, outcome: "cancelled; after=5s" });
    const { checkout_request_id } = await pay(sandbox);
    await sandbox.clock.advance("5s");
    expect((await statusOf(sandbox, checkout_request_id)).status).toBe(status);
    await sandbox.stop();
    ${after}
  });
}
`;

let project: string;
beforeAll(async () => {
  project = await installPackages();
  for (const name of LINKED) symlinkSync(join(PACKAGES, name), join(project, "node_modules", name));
  writeFileSync(join(project, "shop.mjs"), SHOP);
});
afterAll(cleanUp);

describe("a test has a sandbox, pays, moves its clock and ends it", () => {
  for (const [index, environment] of ENVIRONMENTS.entries()) {
    testWith(["node", "vitest", "jest", "DOMs and network mocks"], environment.name, async () => {
      const file = `environment-${index}.test.mjs`;
      const command = environment.runner === "vitest" ? [...VITEST, file] : [...JEST, "--testMatch", `**/${file}`];
      writeFileSync(join(project, file), testsOf(environment));
      const { stdout, stderr, exitCode } = await runToEnd(command, { cwd: project, env: { CI: "1", NO_COLOR: "1" } });
      const output = stdout + stderr;
      expect(exitCode, output).toBe(1);
      expect(output).toMatch(/Tests:? +1 failed[,| ]+1 passed/);
      expect(output).toMatch(/Expected: +"completed"\s+Received: +"cancelled"|expected 'cancelled' to be 'completed'/);
      expect(output).not.toContain("Unhandled");
    });
  }
});
