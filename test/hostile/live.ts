import { expect } from "bun:test";
import type { Served } from "../support/momo.ts";
import { PATIENCE_MS } from "../support/waiting.ts";

/** Requests to a running momo, and the checks that hold for every answer. */

export interface Sent {
  readonly method: string;
  /** Below the origin. */
  readonly target: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/**
 * Sends it, and checks the answer: JSON with `success` and `message`, a status that the operation documents, and nothing about
 * the program's internals.
 */
export async function expectSound({ ready }: Served, sent: Sent, allowed: readonly number[]): Promise<void> {
  const { origin } = new URL(ready.base_url);
  const { method, target, headers = {}, body } = sent;
  const response = await fetch(origin + target, {
    method,
    headers,
    ...(body !== undefined && method !== "GET" && method !== "HEAD" && { body }),
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE_MS),
  });
  const text = await response.text();
  const what = () =>
    `${method} ${target} ${JSON.stringify(headers)} ${String(body).slice(0, 500)}\n→ ${response.status} ${text.slice(0, 500)}`;
  if (!allowed.includes(response.status)) throw new Error(`${what()}, not one of ${allowed.join(", ")}`);
  if (method === "HEAD") return;
  const answer = JSON.parse(text) as Record<string, unknown>;
  if (answer.success !== (response.status === 200)) throw new Error(what());
  if (typeof answer.message !== "string" || answer.message === "") throw new Error(what());
  if (response.status === 200) return;
  if (Object.keys(answer).join() !== "success,message") throw new Error(what());
  // A message repeats only names from the request, and not many.
  if (answer.message.length > 2000 || /SQLITE|constraint failed|\bat \S+:\d+:\d+|node_modules|\$bunfs/.test(text)) {
    throw new Error(what());
  }
}

/** It reported no fault, and still serves. */
export async function expectUnharmed({ ready, child }: Served): Promise<void> {
  expect(child.stderr.text).toBe("");
  expect((await fetch(`${ready.control_url}/health`)).status).toBe(200);
}
