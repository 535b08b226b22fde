import { type ChildProcessByStdio, spawn } from "node:child_process";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import { URL } from "node:url";
import { callAfter } from "./deadline.ts";
import { findExecutable, requireProgram, whyNotStarted } from "./executable.cjs";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** What the executable prints when it serves. */
interface ReadyRecord {
  readonly id: string;
  readonly base_url: string;
  readonly control_url: string;
  readonly api_key: string;
  readonly api_secret: string;
  readonly payment_account_id: number;
}

export interface SandboxProcess {
  readonly ready: ReadyRecord;
  /** How the server has ended, as the end of a sentence about the sandbox; null while it runs. */
  readonly ending: () => string | null;
  /** A second call does nothing. */
  readonly stop: () => Promise<void>;
}

/** A slow machine needs seconds. */
const READY_WITHIN_MS = 60_000;

/** A server stops within three seconds, whatever is due. One that does not is stuck. */
const STOP_WITHIN_MS = 10_000;

/**
 * Starts `momo serve` with a pipe as its standard input. The pipe closes when this process ends, also if it is killed, and then
 * the server ends.
 * @throws Error in momo's words, if it does not start
 */
export async function startExecutable(flags: readonly string[]): Promise<SandboxProcess> {
  const executable = findExecutable();
  requireProgram(executable);
  const child = start(executable, [...FLAGS, ...flags]);
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
    child.once("error", () => resolve());
  });
  child.stdin.on("error", () => {}); // the process has ended
  const complaint = keepEnd(child.stderr);
  const ready = await readyRecordOf(child, executable, complaint);
  reachDirectly(new URL(ready.control_url).hostname);
  // A sandbox that a test forgets to stop must not keep the process alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as { unref?: () => void }).unref?.();
  let isStopped = false;
  return {
    ready,
    ending() {
      if (isStopped) return "was stopped";
      const code = child.signalCode ?? child.exitCode;
      return code === null ? null : [`has ended with ${code}`, complaint().trim()].filter(Boolean).join(": ");
    },
    async stop() {
      isStopped = true;
      child.ref();
      child.stdin.end();
      const cancel = callAfter(STOP_WITHIN_MS, () => child.kill("SIGKILL"));
      await ended;
      cancel();
    },
  };
}

const FLAGS = ["serve", "--ephemeral", "--port=0", "--json", "--quiet", "--until-stdin-closes"];

function start(executable: string, words: readonly string[]): Child {
  try {
    return spawn(executable, words, { stdio: ["pipe", "pipe", "pipe"], env: environment(), windowsHide: true });
  } catch (error) {
    throw new Error(`momo: ${whyNotStarted(executable, error as Error)}`);
  }
}

async function readyRecordOf(child: Child, executable: string, complaint: () => string): Promise<ReadyRecord> {
  let output = "";
  return new Promise<ReadyRecord>((resolve, reject) => {
    const cancel = callAfter(READY_WITHIN_MS, () => {
      child.kill("SIGKILL");
      reject(new Error(`${executable} was not ready within ${READY_WITHIN_MS / 1000} s: ${complaint().trim()}`));
    });
    child.once("error", (error) => {
      cancel();
      reject(new Error(`momo: ${whyNotStarted(executable, error)}`));
    });
    child.once("close", (code, signal) => {
      cancel();
      reject(new Error(messageIn(complaint()) || `momo ended with ${signal ?? code}`));
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (!output.endsWith("\n")) return;
      cancel();
      resolve(JSON.parse(output) as ReadyRecord);
    });
  });
}

/** Enough for a refusal, and for the last lines of a crash. */
const KEPT_CHARACTERS = 4000;

/** @returns a function that returns the end of what a stream has said */
function keepEnd(stream: Readable): () => string {
  let text = "";
  stream.setEncoding("utf8").on("data", (more: string) => {
    text = (text + more).slice(-KEPT_CHARACTERS);
  });
  return () => text;
}

/** The message of a refusal, which is JSON; else all that was said. */
function messageIn(complaint: string): string {
  const failure = /^\{"error":.*\}$/m.exec(complaint)?.[0];
  return failure ? (JSON.parse(failure) as { error: { message: string } }).error.message : complaint.trim();
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
