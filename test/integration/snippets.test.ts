import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startSandbox, type TestSandbox } from "stkpush-sandbox/testing";
import { LANGUAGES, type Language, paste } from "../../sandbox/console/browser/logic/snippets.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runToEnd } from "../support/momo.ts";
import { describeWith, type Needed } from "../support/needs.ts";

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
