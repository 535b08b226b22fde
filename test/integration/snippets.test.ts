import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startSandbox, type TestSandbox } from "momo-sandbox/testing";
import { LANGUAGES, type Language, paste, snippet } from "../../sandbox/console/browser/logic/snippets.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";

/** The first lines of a client, as the console shows them, run by the programs that they are for. */

const PROGRAMS: Readonly<Record<Language, string>> = {
  curl: "bash",
  TypeScript: "node",
  PHP: "php",
  Python: "python3",
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

const factsOf = (payment_account_id = sandbox.paymentAccountId) => ({
  base_url: sandbox.baseUrl,
  api_key: sandbox.apiKey,
  payment_account_id,
});

/** Pastes it into a shell, beside a folder of the server's with the secret in it. */
async function run(language: Language, payment_account_id?: number) {
  const data = join(newFolder(), "it's a folder");
  mkdirSync(data);
  writeFileSync(join(data, "credentials.json"), JSON.stringify({ api_secret: sandbox.apiSecret }, null, 2));
  const child = Bun.spawn(["bash"], {
    env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
    stdin: Buffer.from(hasten(paste(language, { ...factsOf(payment_account_id), data }))),
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { stdout, stderr, exitCode: await child.exited };
}

for (const language of LANGUAGES) {
  const program = PROGRAMS[language];
  if (Bun.which(program) === null) {
    test(`${language}: left out, because there is no ${program} here`, () => {});
    continue;
  }
  describe(`${language}: one thing to paste into a terminal`, () => {
    test(
      "takes a payment, from its start to its end",
      async () => {
        const { stdout, stderr, exitCode } = await run(language);
        expect({ stdout, stderr, exitCode }).toEqual({ stdout: "completed\n", stderr: "", exitCode: 0 });
      },
      TIMEOUT_MS,
    );

    test(
      "shows momo's own sentence where a payment is refused, and fails",
      async () => {
        const { stdout, stderr, exitCode } = await run(language, 99);
        expect(stdout + stderr).toContain("payment_account_id is not the id of a payment account of yours");
        expect(exitCode).not.toBe(0);
      },
      TIMEOUT_MS,
    );
  });
}

test("where the folder is of no use, the first line has a place for the secret", () => {
  expect(paste("PHP", { ...factsOf(), data: null })).toStartWith("export MOMO_API_SECRET='ms_…'\nphp <<'MOMO'\n");
});

test(
  "the TypeScript one is a module that a strict compiler takes as it stands",
  async () => {
    const root = join(import.meta.dir, "../..");
    const file = join(newFolder(), "payment.mts");
    writeFileSync(file, snippet("TypeScript", factsOf()));
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
