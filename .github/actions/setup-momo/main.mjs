/** Starts a sandbox that lives until the end of the job, and gives MOMO_* to the steps after it. */
import { spawn } from "node:child_process";
import { accessSync, closeSync, constants, mkdtempSync, openSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { download } from "./download.mjs";
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

main().catch(fail);
