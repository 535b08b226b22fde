/** Starts a sandbox that lives until the end of the job, and gives MOMO_* to the steps after it. */
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  accessSync,
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  addPath,
  environment,
  exportVariable,
  fail,
  input,
  mask,
  readIfThere,
  saveState,
  setOutput,
} from "./runner.mjs";

const PATIENCE_MS = 60_000;

async function main() {
  const folder = mkdtempSync(join(environment("RUNNER_TEMP"), "momo-"));
  const momo = input("momo") === "" ? await download(join(folder, "bin")) : runnable(resolve(input("momo")));
  const data = join(folder, "data");
  const log = join(folder, "momo.log");
  const ready = await start(momo, data, log, join(folder, "ready.json"));
  saveState("executable", momo);
  saveState("pid", String(ready.pid));
  saveState("log", log);
  saveState("controlUrl", ready.control_url);

  mask(ready.api_secret);
  if (ready.control_token) mask(ready.control_token);
  const variables = {
    MOMO_BASE_URL: ready.base_url,
    MOMO_API_KEY: ready.api_key,
    MOMO_API_SECRET: ready.api_secret,
    MOMO_PAYMENT_ACCOUNT_ID: String(ready.payment_account_id),
    MOMO_CONTROL_URL: ready.control_url,
    ...(ready.control_token && { MOMO_CONTROL_TOKEN: ready.control_token }),
  };
  for (const [name, value] of Object.entries(variables)) exportVariable(name, value);
  if (ready.control_token) saveState("controlToken", ready.control_token);
  if (!(process.env.PATH ?? "").split(delimiter).includes(dirname(momo))) addPath(dirname(momo));
  setOutput("base-url", ready.base_url);
  setOutput("executable", momo);
  process.stdout.write(`momo serves at ${ready.base_url}\n`);
}

/** @returns the ready record */
async function start(momo, data, log, readyFile) {
  const options = input("options").split(/\s+/).filter(Boolean);
  const output = openSync(log, "a", 0o600);
  const flags = ["--data", data, "--port", "0", "--ready-file", readyFile, "--log", "requests", "--log-format", "json"];
  const child = spawn(momo, ["serve", ...flags, ...options], {
    // Standard output says the key and its secret.
    stdio: ["ignore", "ignore", output],
    detached: true,
    windowsHide: true,
    // The runner ends the processes of a step that bear its number.
    env: { ...process.env, RUNNER_TRACKING_ID: "" },
  });
  closeSync(output);
  let ended = "";
  child.on("error", (error) => {
    ended = `it cannot be started: ${error.message}`;
  });
  child.on("exit", (code, signal) => {
    ended ||= readIfThere(log).trim() || `it ended with ${signal ?? code}`;
  });
  child.unref();
  for (const late = Date.now() + PATIENCE_MS; Date.now() < late && ended === ""; await sleep(10)) {
    const text = readIfThere(readyFile);
    if (text.endsWith("\n")) return JSON.parse(text);
  }
  if (ended === "") child.kill("SIGKILL");
  throw new Error(ended || `momo was not ready after ${PATIENCE_MS / 1000} s: ${readIfThere(log).trim()}`);
}

function runnable(file) {
  try {
    accessSync(file, constants.X_OK);
    return file;
  } catch (error) {
    throw new Error(
      error.code === "ENOENT"
        ? `there is no ${file}: the input "momo" names it`
        : `${file} may not be executed: chmod +x it`,
    );
  }
}

const LONGEST_DOWNLOAD_MS = 5 * 60_000;

/**
 * Downloads the archive for this machine, checks its sum, and unpacks it.
 * @returns the path of the executable
 * @throws Error in one line that says what to do
 */
async function download(folder) {
  const name = `momo-${target()}.${process.platform === "win32" ? "zip" : "tar.gz"}`;
  // A folder, or an address.
  const releases = process.env.MOMO_RELEASES || releasesOfThisAction();
  const sums = (await fetchFile(`${releases}/SHA256SUMS`)).toString("utf8");
  const expected = new RegExp(`^([0-9a-f]{64})  ${name.replaceAll(".", "\\.")}$`, "m").exec(sums)?.[1];
  if (expected === undefined) throw new Error(`${releases}/SHA256SUMS has no ${name}`);
  const bytes = await fetchFile(`${releases}/${name}`);
  const found = createHash("sha256").update(bytes).digest("hex");
  if (found !== expected)
    throw new Error(`the sum of ${name} is ${found}, and SHA256SUMS says ${expected}: it is not what was released`);

  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), bytes);
  const executable = process.platform === "win32" ? "momo.exe" : "momo";
  // The tar of Windows reads .zip, too; another one can come first on the path.
  const tar = process.platform === "win32" ? join(environment("SystemRoot"), "System32", "tar.exe") : "tar";
  const { status, stderr, error } = spawnSync(tar, ["-xf", name, executable], { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(`${name} cannot be unpacked: ${error?.message ?? stderr.trim()}`);
  return join(folder, executable);
}

/** The action is part of momo's own repository, so its address and its version are those of momo. */
function releasesOfThisAction() {
  const repository = process.env.GITHUB_ACTION_REPOSITORY || environment("GITHUB_REPOSITORY");
  const { version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  return `${environment("GITHUB_SERVER_URL")}/${repository}/releases/download/v${version}`;
}

function target() {
  const system = { linux: "linux", darwin: "darwin", win32: "windows" }[process.platform];
  if (system === undefined || !["x64", "arm64"].includes(process.arch)) {
    throw new Error(
      `momo has no executable for ${process.platform} on ${process.arch}; it has some for Linux, macOS and Windows on x64 and arm64`,
    );
  }
  const isMusl = system === "linux" && process.report.getReport().header.glibcVersionRuntime === undefined;
  return `${system}-${process.arch}${isMusl ? "-musl" : ""}`;
}

async function fetchFile(address) {
  if (!/^https?:/.test(address)) return readFileSync(address);
  let why = "";
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    try {
      const answer = await fetch(address, { signal: AbortSignal.timeout(LONGEST_DOWNLOAD_MS) });
      if (answer.ok) return Buffer.from(await answer.arrayBuffer());
      why = `the server answers ${answer.status}`;
      if (answer.status < 500) break;
    } catch (error) {
      why = error.cause?.message || error.message;
    }
  }
  throw new Error(`${address} cannot be downloaded: ${why}`);
}

main().catch(fail);
