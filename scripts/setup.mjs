/**
 * Installs the packages in package-lock.json and builds the console's page, if they have changed since the last time. Each script in
 * package.json begins with it, so it needs only Node's standard library, and it also runs in Bun on machines without Node.
 * With arguments, it then runs Bun with them.
 */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const self = fileURLToPath(import.meta.url);
const root = dirname(dirname(self));
const lockFile = join(root, "package-lock.json");
const modules = join(root, "node_modules");
const stampFile = join(modules, ".installed-lock");
const bunProgram = join(modules, "bun", "bin", "bun.exe"); // named so on every system
const source = join(root, "sandbox", "console", "browser", "page.html");
/** What the page is made of. */
const sources = [
  "sandbox/console/browser",
  "sandbox/faults",
  "sandbox/network",
  "sandbox/curl.ts",
  "sandbox/loopback.ts",
  "src/domain",
];
/** One HTML file with everything inside, which the server serves and the executable contains. */
const page = join(root, "sandbox", "console", "dist", "console.html");

/** Until Bun's install script has run, the program is a shell script of a few hundred bytes. */
const SMALLEST_PROGRAM_BYTES = 1_000_000;

const lock = createHash("sha256").update(readFileSync(lockFile)).digest("hex");
const upToDate = readStamp() === lock && bunBytes() > 0;
if (!upToDate) install();
if (bunBytes() < SMALLEST_PROGRAM_BYTES) placeBun();
if (!upToDate) writeFileSync(stampFile, lock);

// The lock file says which libraries go into the page.
const inputs = [...sources.flatMap(filesIn), self, lockFile];
if (changedAtMs(page) <= Math.max(...inputs.map(changedAtMs))) buildPage();

if (process.argv.length > 2) {
  const child = spawn(bunProgram, process.argv.slice(2), { stdio: "inherit" });
  process.on("SIGINT", () => {}); // a terminal sends it to the child, too
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  // A signal to npm ends npm and its shell, and no further process. `exec` in the script would, but cmd.exe does not know it.
  const shell = process.ppid;
  setInterval(() => process.ppid !== shell && child.kill(), 200);
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

function filesIn(name) {
  const path = join(root, name);
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, encoding: "utf8" }).map((file) => join(path, file));
}

function readStamp() {
  try {
    return readFileSync(stampFile, "utf8");
  } catch {
    return "";
  }
}

function bunBytes() {
  return statSync(bunProgram, { throwIfNoEntry: false })?.size ?? 0;
}

function changedAtMs(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function install() {
  process.stderr.write("Installing what package-lock.json pins: this takes 1 to 2 minutes, once …\n");
  const caller = process.env.npm_execpath ?? ""; // the npm or Bun that runs this as a script
  const bun = process.versions.bun ? process.execPath : /\bbun(\.exe)?$/.test(caller) ? caller : "";
  if (bun) {
    // Without a bun.lock, a frozen install reads package-lock.json, and writes no lock file.
    run(bun, ["install", "--frozen-lockfile", "--no-progress", "--no-summary"]);
    return;
  }
  const npm = ["ci", "--include=dev", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"];
  if (caller.endsWith("npm-cli.js")) run(process.execPath, [caller, ...npm]);
  else run("npm", npm, { shell: process.platform === "win32" });
}

/** Installs Bun's program if install scripts are off. */
function placeBun() {
  run(process.execPath, [join(modules, "bun", "install.js")]);
  if (bunBytes() < SMALLEST_PROGRAM_BYTES) fail("node_modules/bun holds no program for this system");
}

function buildPage() {
  // Write a draft and rename it, because a server may be reading the old page.
  const draft = join(dirname(page), `draft-${process.pid}`);
  const options = ["--compile", "--target=browser", "--production", "--minify", "--outdir", draft];
  run(bunProgram, ["build", ...options, source], { stdio: ["ignore", "ignore", 2] });
  renameSync(join(draft, "page.html"), page);
  rmSync(draft, { recursive: true, force: true });
}

function run(command, args, options = {}) {
  // Standard output belongs to the script that follows.
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ["ignore", 2, 2], ...options });
  if (status !== 0) fail(`${[command, ...args].join(" ")} ${error ? `did not start: ${error.message}` : "failed"}`);
}

function fail(message) {
  process.stderr.write(`Set-up failed: ${message}\n`);
  process.exit(1);
}
