import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startSandbox, type TestSandbox } from "stkpush-sandbox/testing";
import { LANGUAGES, type Language, paste } from "../../sandbox/console/browser/logic/snippets.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runToEnd } from "../support/momo.ts";
import { describeWith, type Needed } from "../support/needs.ts";
import { startIn } from "../support/sandbox.ts";

/** The examples of the console, run by the programs that they are for. */

const PROGRAMS: Readonly<Record<Language, Needed>> = {
  curl: "curl",
  TypeScript: "node",
  PHP: "php curl",
  Python: "python3",
};

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ outcome: "completed; after=10ms" });
});
afterAll(async () => {
  await sandbox.stop();
  await cleanUp();
});

const factsOf = (payment_account_id = sandbox.paymentAccountId) => ({
  base_url: sandbox.baseUrl,
  api_key: sandbox.apiKey,
  payment_account_id,
});

/** Pastes the example into a shell. The secret is in a data directory with a difficult name. */
async function run(language: Language, payment_account_id?: number) {
  const data = join(newFolder(), "it's a folder");
  mkdirSync(data);
  writeFileSync(join(data, "credentials.json"), JSON.stringify({ api_secret: sandbox.apiSecret }, null, 2));
  return runToEnd(["bash"], { stdin: paste(language, { ...factsOf(payment_account_id), data }) });
}

for (const language of LANGUAGES) {
  describeWith([PROGRAMS[language]], `${language}: the example, pasted into a terminal`, () => {
    test("starts a payment, and prints the answer", async () => {
      const { stdout, stderr, exitCode } = await run(language);
      expect(JSON.parse(stdout)).toMatchObject({
        success: true,
        checkout_request_id: expect.stringContaining("ws_CO_"),
      });
      expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    });

    test("prints the message of a refusal", async () => {
      const { stdout } = await run(language, 99);
      expect(stdout).toContain("payment_account_id is not the id of a payment account of yours");
    });
  });
}

test("without a data directory the first line has a place for the secret", () => {
  expect(paste("PHP", { ...factsOf(), data: null })).toStartWith("export MOMO_API_SECRET='ms_…'\nphp <<'MOMO'\n");
});

test("the TypeScript example is a module that a strict compiler accepts", async () => {
  const modules = join(import.meta.dir, "../../node_modules");
  const file = join(newFolder(), "payment.mts");
  const [, lines = ""] = paste("TypeScript", { ...factsOf(), data: null }).split(/<<'MOMO'\n|MOMO\n$/);
  writeFileSync(file, lines);
  const options = "--ignoreConfig --noEmit --strict --target es2022 --module nodenext --types bun-types --typeRoots";
  const run = await runToEnd([join(modules, ".bin/tsc"), ...options.split(" "), modules, file]);
  expect(run).toEqual({ stdout: "", stderr: "", exitCode: 0 });
});

const REFERENCES = [
  "it's",
  'say "hi"',
  "$HOME $(id) $((1+1))",
  "two\nlines",
  "back\\slash \\n",
  "naïve ☕ 😀 ‮",
  "-H x; rm -rf * & | > <",
  "!history %s {a,b} [1-3] ~",
  "@file",
];

test("GET /_momo/requests?format=curl: the lines work when they are pasted into sh with MOMO_API_SECRET set", async () => {
  const sandbox = await startIn(join(newFolder(), "data"));
  const send = (method: string, path: string, body?: object, more: Record<string, string> = {}) => {
    const headers = { ...sandbox.headers, ...(body && { "Content-Type": "application/json" }), ...more };
    return fetch(sandbox.baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body, null, 2) }) });
  };
  const order = { payment_account_id: 1, phone: "0712345678", amount: 100 };
  for (const reference of REFERENCES) await send("POST", "/stkpush.php", { ...order, reference });
  await send("POST", "/stkpush.php", order, { "X-Sandbox-Outcome": "refused" });
  await send("GET", "/transactions.php?search=%27%24%7Bx%7D%20[1-3]{a,b}'&limit=5");
  await send("HEAD", "/transactions.php");
  await send("PUT", "/status.php", order);

  const script = await (await fetch(`${sandbox.origin}/_momo/requests?format=curl`)).text();
  const env = { MOMO_API_SECRET: sandbox.headers["X-API-Secret"] ?? "", NO_PROXY: "127.0.0.1" };
  const { exitCode } = await runToEnd(["sh", "-c", script.replaceAll("curl ", "curl -s ")], { env });
  expect(exitCode).toBe(0);

  const { requests } = await sandbox.control("GET", "/requests");
  const calls = (requests as Record<string, unknown>[]).map(({ method, target, body, status }) => ({
    ...{ method, target, body, status },
  }));
  expect(calls).toHaveLength(2 * (REFERENCES.length + 4));
  const written = calls.splice(0, calls.length / 2);
  expect(calls).toEqual(written);
  expect(written.map(({ status }) => status)).toEqual([...REFERENCES.map(() => 200), 500, 200, 405, 405]);
});
