import { type ChildProcessByStdio, spawn } from "node:child_process";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { findExecutable, whyNotStarted } from "./executable.cjs";

/** What the executable prints when it serves. */
interface ReadyRecord {
  readonly id: string;
  readonly base_url: string;
  readonly control_url: string;
  readonly api_key: string;
  readonly api_secret: string;
  readonly payment_account_id: number;
}

export type SandboxProcess = Awaited<ReturnType<typeof startExecutable>>;

/** A server stops within three seconds, whatever is due. One that does not is stuck. */
const STOP_WITHIN_MS = 10_000;

/**
 * Starts `momo serve` with a pipe as its standard input. The pipe closes when this process ends, also if it is killed, and then
 * the server ends.
 * @throws Error in momo's words, if it does not start
 */
export async function startExecutable(flags: readonly string[]) {
  const executable = findExecutable();
  const child = start(executable, [...FLAGS, ...flags]);
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", () => resolve());
  });
  child.stdin.on("error", () => {}); // the process has ended
  const ready = await readyRecordOf(child, executable);
  reachDirectly(new URL(ready.control_url).hostname);
  // A sandbox that a test forgets to stop must not keep the process alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as { unref?: () => void }).unref?.();
  return {
    ready,
    /** Whether the server has ended: then its port may belong to another. */
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    /** A second call does nothing. */
    async stop(): Promise<void> {
      child.ref();
      child.stdin.end();
      const stuck = setTimeout(() => child.kill("SIGKILL"), STOP_WITHIN_MS);
      await ended;
      clearTimeout(stuck);
    },
  };
}

const FLAGS = ["serve", "--ephemeral", "--port=0", "--json", "--quiet", "--until-stdin-closes"];

function start(executable: string, words: readonly string[]) {
  try {
    return spawn(executable, words, { stdio: ["pipe", "pipe", "pipe"], env: environment(), windowsHide: true });
  } catch (error) {
    throw new Error(`momo: ${whyNotStarted(executable, error as Error)}`);
  }
}

async function readyRecordOf(
  child: ChildProcessByStdio<Writable, Readable, Readable>,
  executable: string,
): Promise<ReadyRecord> {
  let output = "";
  let complaint = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    // Warnings of a running server are ignored.
    if (output === "") complaint += text;
  });
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(new Error(`momo: ${whyNotStarted(executable, error)}`)));
    child.once("close", (code) => reject(new Error(inWordsOfOptions(complaint) || `momo ended with ${code}`)));
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.endsWith("\n")) resolve(JSON.parse(output) as ReadyRecord);
    });
  });
}

/** Names options instead of flags in a refusal: `--prompt-timeout` is `promptTimeout`. */
function inWordsOfOptions(complaint: string): string {
  const failure = /^\{"error":.*\}$/m.exec(complaint)?.[0];
  const message = failure ? (JSON.parse(failure) as { error: { message: string } }).error.message : complaint.trim();
  return message.replace(/--([a-z-]+)/g, (_, name: string) =>
    name.replace(/-([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
  );
}

/** Without MOMO_* of another sandbox. */
function environment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("MOMO_")));
}

/** Bypasses the proxy for this machine: Bun and Deno would use it. */
function reachDirectly(host: string): void {
  for (const name of ["NO_PROXY", "no_proxy"]) {
    const hosts = process.env[name]?.split(",") ?? [];
    // `*` has a meaning only alone.
    if (!hosts.some((entry) => ["*", host].includes(entry.trim()))) process.env[name] = [...hosts, host].join(",");
  }
}
