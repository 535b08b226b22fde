import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { tarballsOf } from "./npm.ts";
import { startRegistry } from "./registry.ts";
import { run } from "./run.ts";
import { tryMomo } from "./trial.ts";
import { megabytes, row, seconds, stepTimes } from "./trial-table.ts";
import { type Way, waysOf } from "./ways.ts";

/**
 * Publishes the npm packages in dist/release to a registry on this machine, and gets momo from it with each package manager, each
 * with a new home folder and so without a cache. It prints a table, and ends with 1 if a way does not work.
 */

const ROOT = join(import.meta.dir, "../..");
const OUT = join(ROOT, "dist/release");
const CLIENTS = join(import.meta.dir, "clients");
const PATIENCE_MS = 300_000;
const { name: PACKAGE, version } = manifest;

if (!existsSync(join(CLIENTS, "node_modules"))) {
  process.stderr.write("first: npm install --prefix scripts/release/clients --ignore-scripts\n");
  process.exit(2);
}

const work = mkdtempSync(join(tmpdir(), "momo-npm-"));
const registry = await startRegistry(CLIENTS, join(work, "registry"));
try {
  await publish();
  print("| package manager | command | installed in | size | first start | momo | test helper |");
  print("|---|---|---|---|---|---|---|");
  for (const [index, way] of waysOf(CLIENTS, registry.url).entries()) await tryWay(way, join(work, `way-${index}`));
  print("\n| what is wrong | what momo says |\n|---|---|");
  await tryWhatIsWrong();
} finally {
  await registry.stop();
  rmSync(work, { recursive: true, force: true });
}

async function publish(): Promise<void> {
  const home = homeIn(join(work, "publisher"));
  const token = `--${registry.url.replace("http:", "")}:_authToken=anybody`;
  const startedMs = performance.now();
  for (const tarball of tarballsOf(PACKAGE, version)) {
    await run(["npm", "publish", join(OUT, "npm", tarball), "--ignore-scripts", token], home);
  }
  print(`${tarballsOf(PACKAGE, version).length} packages published in ${seconds(performance.now() - startedMs)}\n`);
}

async function tryWay(way: Way, folder: string): Promise<void> {
  const place = homeIn(folder, way.env);
  await row([way.name, `\`${way.typed}\``], async (cells) => {
    for (const [name, text] of Object.entries(way.files ?? {})) writeFileSync(join(place.cwd, name), text);
    cells.push(way.install.length > 0 ? await timed(way.install, place) : "-");
    cells.push(way.install.length > 0 ? await sizeOf(place.cwd) : "-");
    const momo = way.momo.map((word) => (/^(?:node_modules|global)\//.test(word) ? join(place.cwd, word) : word));
    // This start may download momo; the next ones find it in the cache.
    cells.push(await timed([...momo, "--version"], place));
    const steps = await tryMomo(momo, version, {
      folder: place.cwd,
      env: place.env,
      // npx, bunx and yarn do not pass signals on.
      stop: "stdin",
      patienceMs: PATIENCE_MS,
    });
    cells.push(stepTimes(steps));
    cells.push(way.runs ? await useTestHelper(way.runs, place) : "-");
  });
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

/** Each message must be one line that says what to do, and its advice must help. */
async function tryWhatIsWrong(): Promise<void> {
  const install = ["npm", "install", "--save-dev", PACKAGE];
  const omitted = homeIn(join(work, "omitted"));
  await run([...install, "--omit=optional"], omitted);
  await says("`--omit=optional`", [join(omitted.cwd, "node_modules/.bin/momo")], omitted, /is missing/);

  const elsewhere = homeIn(join(work, "elsewhere"));
  await run([...install, "--os=darwin", "--cpu=arm64"], elsewhere);
  const momo = join(elsewhere.cwd, "node_modules/.bin/momo");
  await says("`node_modules` of another system", [momo], elsewhere, /is missing/);
  rmSync(join(elsewhere.cwd, "node_modules"), { recursive: true });
  await run(["npm", "ci"], elsewhere);
  await says("the same, after `npm ci` with the lock file of the other system", [momo], elsewhere, /^\d/, 0);

  const old = homeIn(join(work, "old"));
  await run(install, old);
  const node18 = join(CLIENTS, "node_modules/node-18/bin/node");
  await says("Node 18", [node18, join(old.cwd, "node_modules/.bin/momo")], old, /Node 20/);
}

async function says(what: string, momo: readonly string[], place: Place, expected: RegExp, code = 1): Promise<void> {
  const child = Bun.spawn([...momo, "--version"], { ...place, stdout: "pipe", stderr: "pipe", timeout: PATIENCE_MS });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  const text = (output + errors).trim();
  const isRight = (await child.exited) === code && expected.test(text) && !text.includes("\n");
  if (!isRight) process.exitCode = 1;
  print(`| ${what} | ${isRight ? "" : "WRONG: "}${text.replaceAll("\n", " ")} |`);
}

interface Place {
  readonly cwd: string;
  readonly env: Record<string, string>;
}

/** An empty project and a new home folder. */
function homeIn(folder: string, env: Readonly<Record<string, string>> = {}): Place {
  const cwd = join(folder, "project");
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(folder, "home"));
  mkdirSync(join(folder, "tmp"));
  writeFileSync(join(cwd, "package.json"), '{ "name": "shop", "version": "1.0.0", "type": "module" }\n');
  writeFileSync(join(cwd, ".npmrc"), `registry=${registry.url}\n`);
  return {
    cwd,
    env: {
      HOME: join(folder, "home"),
      // bunx keeps its downloads in the temporary folder.
      TMPDIR: join(folder, "tmp"),
      npm_config_registry: registry.url,
      npm_config_update_notifier: "false",
      npm_config_audit: "false",
      ...env,
    },
  };
}

async function timed(command: readonly string[], place: Place): Promise<string> {
  const startedMs = performance.now();
  await run([...command], place);
  return seconds(performance.now() - startedMs);
}

async function sizeOf(folder: string): Promise<string> {
  return megabytes(Number((await run(["du", "--summarize", "--bytes", folder])).split("\t")[0]));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
