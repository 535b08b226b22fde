import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { tarballsOf } from "./npm.ts";
import { type Checks, inTemporaryFolder, payment, report, run } from "./run.ts";

/**
 * Serves the npm packages in dist/release as a registry does, and gets momo from it in four ways, each with a new home folder and so
 * without a cache. Needs the packages.
 */

const OUT = join(import.meta.dir, "../../dist/release");
const { name: PACKAGE, version } = manifest;

/** The package managers that are neither in Node nor in Bun. */
const MANAGERS = ["pnpm@10.34.8", "yarn@npm:@yarnpkg/cli-dist@4.18.1"];

/** What a registry says of each package, and its tarball. Nothing else is there, because momo needs nothing else. */
async function serveRegistry() {
  const packages = new Map<string, object>();
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ url }) {
      const path = decodeURIComponent(new URL(url).pathname.slice(1));
      if (path.endsWith(".tgz")) return new Response(Bun.file(join(OUT, "npm", path)));
      const known = packages.get(path);
      return known ? Response.json(known) : new Response("", { status: 404 });
    },
  });
  for (const tarball of tarballsOf(PACKAGE, version)) {
    const file = join(OUT, "npm", tarball);
    const packed = JSON.parse(await run(["tar", "-xzOf", file, "package/package.json"]));
    const integrity = `sha512-${createHash("sha512").update(readFileSync(file)).digest("base64")}`;
    const versions = { [version]: { ...packed, dist: { tarball: server.url.href + tarball, integrity } } };
    packages.set(packed.name, { name: packed.name, "dist-tags": { latest: version }, versions });
  }
  return server;
}

function waysOf(url: string, managers: string): Record<string, Way> {
  const bun = process.execPath;
  const pnpm = ["node", join(managers, "pnpm/bin/pnpm.cjs")];
  const yarn = ["node", join(managers, "yarn/bin/yarn.js")];
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

async function tryWay({ install, momo, runs }: Way, place: Place): Promise<string> {
  if (install !== undefined) await run([...install], place);
  const said = (await run([...momo, "--version"], place)).trim();
  if (said !== version) throw new Error(`it is ${said}`);
  const paid = await run([...momo, "exec", "--", ...momo, ...payment("completed")], place);
  const helped = runs === undefined ? "" : await run([...runs, "use.mjs"], place);
  return `${paid}${helped}`.trim().split("\n").join(", ");
}

/** What a test does with the test helper. */
const USE = `import { startSandbox } from "${PACKAGE}/testing";
const sandbox = await startSandbox({ outcome: "completed; after=1s", frozen: true });
const headers = { ...sandbox.headers, "Content-Type": "application/json" };
const body = JSON.stringify({ payment_account_id: sandbox.paymentAccountId, phone: "0712345678", amount: 100 });
const answer = await fetch(sandbox.baseUrl + "/stkpush.php", { method: "POST", headers, body });
const { checkout_request_id: checkoutRequestId } = await answer.json();
await sandbox.clock.advance("1s");
console.log("test helper", (await sandbox.wait({ checkoutRequestId })).status);
await sandbox.stop();
`;

/** An empty project and a new home folder. */
function homeIn(folder: string, url: string, env: Readonly<Record<string, string>> = {}): Place {
  const cwd = join(folder, "project");
  for (const name of [cwd, join(folder, "home"), join(folder, "tmp")]) mkdirSync(name, { recursive: true });
  writeFileSync(join(cwd, "package.json"), '{ "name": "shop", "version": "1.0.0", "type": "module" }\n');
  writeFileSync(join(cwd, ".npmrc"), `registry=${url}\n`);
  writeFileSync(join(cwd, "yarn.lock"), "");
  writeFileSync(join(cwd, "use.mjs"), USE);
  return {
    cwd,
    env: {
      HOME: join(folder, "home"),
      TMPDIR: join(folder, "tmp"),
      npm_config_registry: url,
      npm_config_update_notifier: "false",
      npm_config_audit: "false",
      ...env,
    },
  };
}

/** Prints a line for each way. */
export async function tryNpm(): Promise<void> {
  await inTemporaryFolder("npm", async (work) => {
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    const install = () => run(["npm", "install", "--prefix", work, ...flags, ...MANAGERS]);
    await report({ "pnpm and yarn come from npm": async () => (await install()).trim() });
    const registry = await serveRegistry();
    const ways = Object.entries(waysOf(registry.url.href, join(work, "node_modules")));
    const checks = ways.map(([name, way]) => [
      `${name} installs momo, which pays`,
      () => tryWay(way, homeIn(join(work, name), registry.url.href, way.env)),
    ]);
    await report(Object.fromEntries(checks) as Checks);
    await registry.stop(true);
  });
}

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
