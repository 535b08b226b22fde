import { createParser } from "eventsource-parser";
import { atMost } from "../../src/domain/clock.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { durations, sleep } from "../../src/system.ts";
import { openEvents } from "./client.ts";
import { isRecord } from "./find.ts";
import type { ControlTarget } from "./target.ts";

/** An event of the sandbox. `connected` and `lost` are about the stream itself. */
export interface SandboxEvent {
  readonly name: string;
  readonly data: Record<string, unknown>;
}

const RETRY_MS = 500;

/** A stream without data for this long is dead: a heartbeat comes every 15 s. */
const SILENCE_MS = 40_000;

/**
 * Follows the events, also across restarts of the server. After a lost connection it goes on behind the last event, or gets a `gap`. It
 * resolves when it is stopped.
 * @param target finds the server before each connection, because a restart may change its port
 * @param first the stream of the first connection; the command opens it, and reports a missing server
 */
export async function followEvents(
  target: () => ControlTarget,
  first: ReadableStream<Uint8Array>,
  onEvent: (event: SandboxEvent) => void,
  stopped: AbortSignal,
): Promise<void> {
  let events: ReadableStream<Uint8Array> | null = first;
  let lastId: string | null = null;
  while (!stopped.aborted) {
    if (events) {
      onEvent({ name: "connected", data: {} });
      await readEvents(events, stopped, (event, id) => {
        lastId = id ?? lastId;
        onEvent(event);
      });
      if (stopped.aborted) return;
      onEvent({ name: "lost", data: {} });
    }
    await sleep(RETRY_MS, stopped);
    events = await Promise.try(() => openEvents(target(), lastId, stopped)).catch(() => null); // not yet
  }
}

/** Reads to the end of the connection, or until it is stopped; the reason of the end does not matter. */
async function readEvents(
  events: ReadableStream<Uint8Array>,
  stopped: AbortSignal,
  onEvent: (event: SandboxEvent, id: string | undefined) => void,
): Promise<void> {
  let isBroken = false;
  const parser = createParser({
    onEvent({ event, data, id }) {
      // momo sends JSON objects only.
      const read: unknown = readOrNull(() => JSON.parse(data));
      if (!isRecord(read)) isBroken = true;
      else if (!isBroken) onEvent({ name: event ?? "", data: read }, id);
    },
  });
  const decoder = new TextDecoder();
  const reader = events.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  stopped.addEventListener("abort", cancel);
  while (!stopped.aborted) {
    const next = reader.read().catch(() => null);
    const chunk = await atMost(durations, SILENCE_MS, next);
    if (!chunk?.value) break;
    parser.feed(decoder.decode(chunk.value, { stream: true }));
    if (isBroken) break;
  }
  stopped.removeEventListener("abort", cancel);
  cancel();
}
