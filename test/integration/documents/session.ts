import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { builtBinary } from "../../support/binary.ts";
import { newFolder } from "../../support/cleanup.ts";
import { type Run, runToEnd, serveMomo } from "../../support/momo.ts";

/** A reader of the documents: a new folder, momo on the path, and a running server. `cleanUp` ends it. */
export interface Session {
  readonly folder: string;
  /** What `momo env` prints for the server. */
  readonly variables: Readonly<Record<string, string>>;
  /** Runs a script in bash, as a reader would paste it. */
  run(script: string, more?: Readonly<Record<string, string>>): Promise<Run>;
  /** The same while the sandbox's clock runs fast, so that no command waits for the simulated network. */
  runWithFastClock(script: string, more?: Readonly<Record<string, string>>): Promise<Run>;
}

/** Go needs no C compiler, and compiles its library once. */
export const GO = { CGO_ENABLED: "0", GOCACHE: join(homedir(), ".cache/go-build") };

export async function startSession(): Promise<Session> {
  const folder = newFolder();
  symlinkSync(await builtBinary(), join(folder, "momo"));
  writeTestFiles(folder);
  const environment = {
    PATH: `${folder}:${process.env.PATH}`,
    HOME: folder,
    MOMO_DATA: join(folder, "data"),
    npm_config_update_notifier: "false",
    ...GO,
  };
  const { ready, get, control } = await serveMomo(["--data", environment.MOMO_DATA]);
  // A reader has sent requests before: an audit of a server without any says so.
  await get("/transactions.php");

  const run: Session["run"] = (script, more = {}) =>
    runToEnd(["bash", "-euo", "pipefail", "-c", script], { cwd: folder, env: { ...environment, ...more } });

  return {
    folder,
    variables: {
      MOMO_BASE_URL: ready.base_url,
      MOMO_API_KEY: ready.api_key,
      MOMO_API_SECRET: ready.api_secret,
      MOMO_PAYMENT_ACCOUNT_ID: String(ready.payment_account_id),
      MOMO_CONTROL_URL: ready.control_url,
    },
    run,
    async runWithFastClock(script, more) {
      let hasEnded = false;
      const result = run(script, more).finally(() => {
        hasEnded = true;
      });
      while (!hasEnded) {
        await control("POST", "/clock", { advance: "1s" });
        await Promise.race([result, Bun.sleep(20)]);
      }
      return result;
    },
  };
}

/** A client that is not momo itself, which an audit does not count. */
const LIST =
  'curl -s "$MOMO_BASE_URL/transactions.php" -H "X-API-Key: $MOMO_API_KEY" -H "X-API-Secret: $MOMO_API_SECRET"';

/** The test files of a reader who tests in shell, and of one who tests with npm. */
function writeTestFiles(folder: string): void {
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { test: LIST } }));
  mkdirSync(join(folder, "tests"));
  for (const name of ["a", "b"]) {
    const pay = `momo pay 0712345678 100 --reference ${name} --outcome "completed; after=10ms" --wait --interval 50ms -q`;
    writeFileSync(join(folder, `tests/${name}.sh`), `${pay} && test "$(momo list -q | wc -l)" -eq 1\n`);
  }
}
