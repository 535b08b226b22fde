/** What a runner of GitHub Actions gives to an action, and takes from it: variables, files and lines of standard output. */
import { appendFileSync, readFileSync } from "node:fs";

/** The value of an input of action.yml; "" where there is none. */
export const input = (name) => process.env[`INPUT_${name.toUpperCase()}`]?.trim() ?? "";

export function environment(name) {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: this program is an action, and GitHub's runner starts it`);
  return value;
}

/** For the later steps of the job. */
export const exportVariable = (name, value) => append("GITHUB_ENV", name, value);
export const setOutput = (name, value) => append("GITHUB_OUTPUT", name, value);
/** For the last part of this action, which finds it in STATE_…. */
export const saveState = (name, value) => append("GITHUB_STATE", name, value);

export function addPath(folder) {
  appendFileSync(environment("GITHUB_PATH"), `${folder}\n`);
}

export function mask(secret) {
  process.stdout.write(`::add-mask::${secret}\n`);
}

/** A part of the log that is folded. What is in it gives the runner no commands. */
export function showLog(title, text) {
  const token = `momo-${process.pid}-${Date.now()}`;
  process.stdout.write(`::group::${title}\n::stop-commands::${token}\n${text.trimEnd()}\n::${token}::\n::endgroup::\n`);
}

/** Ends the action in one line that says why. */
export function fail(error) {
  const text = String(error?.message ?? error)
    .replaceAll("%", "%25")
    .replaceAll("\r", "%0D")
    .replaceAll("\n", "%0A");
  process.stdout.write(`::error title=momo::${text}\n`);
  process.exitCode = 1;
}

export function readIfThere(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function append(file, name, value) {
  if (/[\r\n]/.test(value)) throw new Error(`${name} has more than one line`);
  appendFileSync(environment(file), `${name}=${value}\n`);
}
