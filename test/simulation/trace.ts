import { createHash } from "node:crypto";
import type { Sent } from "./events.ts";

/** Enough lines to see the cause of a failure. */
const KEPT = 40;

/** What happened in a run, line by line: a hash of all lines, and the last lines for the message of a failure. */
export class Trace {
  /** Oldest first. */
  readonly lastLines: string[] = [];
  readonly #hash = createHash("sha256");
  readonly #echo: (line: string) => void;

  /** @param echo gets each line */
  constructor(echo: (line: string) => void) {
    this.#echo = echo;
  }

  note(line: string): void {
    this.#hash.update(line).update("\n");
    this.lastLines.push(line);
    if (this.lastLines.length > KEPT) this.lastLines.shift();
    this.#echo(line);
  }

  /** Equal for runs in which exactly the same happened. */
  digest(): string {
    return this.#hash.copy().digest("hex");
  }
}

/** A request of the merchant API, with a merchant's key. */
export function api(
  method: string,
  path: string,
  { apiKey, apiSecret }: { apiKey: string; apiSecret: string },
  json: object | null,
  more: Record<string, string> = {},
): Sent {
  const type = json === null ? {} : { "Content-Type": "application/json" };
  const headers: Record<string, string> = { "X-API-Key": apiKey, "X-API-Secret": apiSecret, ...type, ...more };
  return { method, target: `/v2${path}`, headers, body: json === null ? null : JSON.stringify(json) };
}

/** A call of the control API. */
export function control(method: string, path: string, json: object | null = null): Sent {
  const headers: Record<string, string> = json === null ? {} : { "Content-Type": "application/json" };
  return { method, target: `/_momo${path}`, headers, body: json === null ? null : JSON.stringify(json) };
}
