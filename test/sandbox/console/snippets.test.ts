import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startSandbox, type TestSandbox } from "momo-sandbox/testing";
import { LANGUAGES, type Language, snippet } from "../../../sandbox/console/browser/logic/snippets.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";

/** The first lines of a client, as the console shows them, run by the programs that they are for. */

const RUNNERS: Readonly<Record<Language, { readonly program: string; readonly file: string }>> = {
  curl: { program: "bash", file: "payment.sh" },
  TypeScript: { program: "node", file: "payment.mjs" },
  PHP: { program: "php", file: "payment.php" },
  Python: { program: "python3", file: "payment.py" },
};

/** The snippets ask every 3 seconds; here nobody waits so long. */
const hasten = (text: string) =>
  text
    .replace("await sleep(3000)", "await sleep(20)")
    .replace("time.sleep(3)", "time.sleep(0.02)")
    .replace("sleep 3", "sleep 0.02")
    .replace(/(?<!\.)sleep\(3\)/, "usleep(20000)");

const TIMEOUT_MS = 30_000;

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ outcome: "completed; after=10ms" });
});
afterAll(async () => {
  await sandbox.stop();
  await cleanUp();
});

const textOf = (language: Language, payment_account_id = sandbox.paymentAccountId) =>
  snippet(language, { base_url: sandbox.baseUrl, api_key: sandbox.apiKey, payment_account_id });

async function run(language: Language, text: string) {
  const { program, file } = RUNNERS[language];
  const path = join(newFolder(), file);
  writeFileSync(path, hasten(text));
  const child = Bun.spawn([Bun.which(program) ?? program, path], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", MOMO_API_SECRET: sandbox.apiSecret },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { stdout, stderr, exitCode: await child.exited };
}

for (const language of LANGUAGES) {
  const { program, file } = RUNNERS[language];
  if (Bun.which(program) === null) {
    test(`${language}: left out, because there is no ${program} here`, () => {});
    continue;
  }
  describe(`${language}: ${program} ${file}`, () => {
    test(
      "takes a payment, from its start to its end",
      async () => {
        const { stdout, stderr, exitCode } = await run(language, textOf(language));
        expect({ stdout, stderr, exitCode }).toEqual({ stdout: "completed\n", stderr: "", exitCode: 0 });
      },
      TIMEOUT_MS,
    );

    test(
      "shows momo's own sentence where a payment is refused, and fails",
      async () => {
        const { stdout, stderr, exitCode } = await run(language, textOf(language, 99));
        expect(stdout + stderr).toContain("payment_account_id is not the id of a payment account of yours");
        expect(exitCode).not.toBe(0);
      },
      TIMEOUT_MS,
    );
  });
}

test(
  "the TypeScript one is a module that a strict compiler takes as it stands",
  async () => {
    const root = join(import.meta.dir, "../../..");
    const file = join(newFolder(), "payment.mts");
    writeFileSync(file, textOf("TypeScript"));
    const options = [
      "--ignoreConfig",
      "--noEmit",
      "--strict",
      "--target",
      "es2022",
      "--module",
      "nodenext",
      "--types",
      "bun-types",
    ];
    const child = Bun.spawn(
      [join(root, "node_modules/.bin/tsc"), ...options, "--typeRoots", join(root, "node_modules"), file],
      { stdout: "pipe", stderr: "pipe" },
    );
    expect(await new Response(child.stdout).text()).toBe("");
    expect(await child.exited).toBe(0);
  },
  TIMEOUT_MS,
);
