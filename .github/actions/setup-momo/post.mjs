/** At the end of the job: the mistakes of the client as annotations, the end of the sandbox, and its log. */
import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { fail, readIfThere, showLog } from "./runner.mjs";

/** A server stops within three seconds, whatever is due. */
const STOP_WITHIN_MS = 10_000;

const {
  STATE_executable: momo,
  STATE_pid: pid,
  STATE_log: log,
  STATE_controlUrl: controlUrl,
  STATE_controlToken: token,
} = process.env;

async function main() {
  // The first part failed, and has said why.
  if (!momo || !pid) return;
  const env = { ...process.env, MOMO_CONTROL_URL: controlUrl, ...(token && { MOMO_CONTROL_TOKEN: token }) };
  const audit = spawnSync(momo, ["audit", "--format", "github"], { env, encoding: "utf8", timeout: 60_000 });
  if (audit.status === 0) process.stdout.write(audit.stdout);
  else
    process.stdout.write(
      `::warning title=momo::there is no audit: ${(audit.stderr || String(audit.error)).trim().split("\n")[0]}\n`,
    );
  await stop(Number(pid));
  showLog("The log of momo", readIfThere(log) || "(nothing was asked)");
}

async function stop(id) {
  if (!signal(id, "SIGTERM")) return;
  for (const late = Date.now() + STOP_WITHIN_MS; Date.now() < late; await sleep(20)) if (!signal(id, 0)) return;
  signal(id, "SIGKILL");
}

/** @returns whether there is such a process */
function signal(id, name) {
  try {
    return process.kill(id, name);
  } catch {
    return false;
  }
}

main().catch(fail);
