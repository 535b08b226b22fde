import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { tarballsOf } from "./npm.ts";
import { startRegistry } from "./registry.ts";
import { run } from "./run.ts";
import { tryMomo } from "./trial.ts";

/**
 * Publishes the npm packages in dist/release to a registry on this machine, and gets momo from it in four ways, each with a new home
 * folder and so without a cache. It prints a line for each way, and ends with 1 if one does not work.
 */

const OUT = join(import.meta.dir, "../../dist/release");
const CLIENTS = join(import.meta.dir, "clients");
const { name: PACKAGE, version } = manifest;

interface Way {
  /** As words; missing where the start also installs. */
  readonly install?: readonly string[];
  readonly momo: readonly string[];
  /** The words that run a file with the test helper; missing where there is no project. */
  readonly runs?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface Place {
  readonly cwd: string;
  readonly env: Record<string, string>;
}

if (!existsSync(join(CLIENTS, "node_modules"))) {
  process.stderr.write("first: npm install --prefix scripts/release/clients --ignore-scripts\n");
  process.exit(2);
}

const work = mkdtempSync(join(tmpdir(), "momo-npm-"));
const registry = await startRegistry(CLIENTS, join(work, "registry"));
try {
  const publisher = homeIn(join(work, "publisher"));
  const token = `--${registry.url.replace("http:", "")}:_authToken=anybody`;
  for (const tarball of tarballsOf(PACKAGE, version)) {
    await run(["npm", "publish", join(OUT, "npm", tarball), "--ignore-scripts", token], publisher);
  }
  for (const [name, way] of Object.entries(waysOf(registry.url))) {
    const startedMs = performance.now();
    const said = await tryWay(way, join(work, name)).catch((error: Error) => {
      process.exitCode = 1;
      return `FAILED: ${error.message.trim().replaceAll("\n", " ")}`;
    });
    process.stdout.write(`${name}, ${((performance.now() - startedMs) / 1000).toFixed(1)} s: ${said}\n`);
  }
} finally {
  await registry.stop();
  rmSync(work, { recursive: true, force: true });
}

function waysOf(url: string): Record<string, Way> {
  const bun = process.execPath;
  const pnpm = ["node", join(CLIENTS, "node_modules/pnpm/bin/pnpm.cjs")];
  const yarn = ["node", join(CLIENTS, "node_modules/yarn/bin/yarn.js")];
  return {
    npx: { momo: ["npx", "--yes", PACKAGE] },
    bun: { install: [bun, "add", "--dev", PACKAGE], momo: [bun, "--bun", "run", "momo"], runs: [bun] },
    pnpm: { install: [...pnpm, "add", "--save-dev", PACKAGE], momo: [...pnpm, "exec", "momo"], runs: ["node"] },
    // Yarn without node_modules: packages stay in archives, except those that ask to be unpacked.
    yarn: {
      install: [...yarn, "add", "--dev", PACKAGE],
      momo: [...yarn, "momo"],
      runs: [...yarn, "node"],
      env: {
        YARN_NPM_REGISTRY_SERVER: url,
        YARN_UNSAFE_HTTP_WHITELIST: "127.0.0.1",
        // Otherwise yarn refuses a version on its first day.
        YARN_NPM_MINIMAL_AGE_GATE: "0",
        YARN_ENABLE_TELEMETRY: "0",
        YARN_ENABLE_IMMUTABLE_INSTALLS: "0",
      },
    },
  };
}

async function tryWay({ install, momo, runs, env }: Way, folder: string): Promise<string> {
  const place = homeIn(folder, env);
  if (install !== undefined) await run([...install], place);
  const options = {
    folder: place.cwd,
    env: place.env,
    // Package managers do not pass signals on.
    stop: "stdin",
    patienceMs: 300_000,
  } as const;
  const steps = await tryMomo(momo, version, options);
  const helper = runs === undefined ? [] : [`test helper ${await useTestHelper(runs, place)}`];
  return [...steps, ...helper].join(", ");
}

/** Starts a sandbox from a test's point of view, makes a payment, and returns its status. */
async function useTestHelper(runs: readonly string[], place: Place): Promise<string> {
  writeFileSync(
    join(place.cwd, "use.mjs"),
    `import { startSandbox } from "momo-sandbox/testing";
    const sandbox = await startSandbox({ outcome: "completed; after=1s", frozen: true });
    const headers = { ...sandbox.headers, "Content-Type": "application/json" };
    const body = JSON.stringify({ payment_account_id: sandbox.paymentAccountId, phone: "0712345678", amount: 100 });
    const answer = await fetch(sandbox.baseUrl + "/stkpush.php", { method: "POST", headers, body });
    const { checkout_request_id: checkoutRequestId } = await answer.json();
    await sandbox.clock.advance("1s");
    console.log((await sandbox.wait({ checkoutRequestId })).status);
    await sandbox.stop();`,
  );
  return (await run([...runs, "use.mjs"], place)).trim();
}

/** An empty project and a new home folder. */
function homeIn(folder: string, env: Readonly<Record<string, string>> = {}): Place {
  const cwd = join(folder, "project");
  for (const name of [cwd, join(folder, "home"), join(folder, "tmp")]) mkdirSync(name, { recursive: true });
  writeFileSync(join(cwd, "package.json"), '{ "name": "shop", "version": "1.0.0", "type": "module" }\n');
  writeFileSync(join(cwd, ".npmrc"), `registry=${registry.url}\n`);
  writeFileSync(join(cwd, "yarn.lock"), "");
  return {
    cwd,
    env: {
      HOME: join(folder, "home"),
      TMPDIR: join(folder, "tmp"),
      npm_config_registry: registry.url,
      npm_config_update_notifier: "false",
      npm_config_audit: "false",
      ...env,
    },
  };
}
