import { createParser } from "eventsource-parser";
import { sleep } from "../../src/system.ts";
import { openEvents } from "./client.ts";
import type { ControlTarget } from "./target.ts";

/** An event of the sandbox. `connected` and `lost` are about the stream itself. */
export interface SandboxEvent {
  readonly name: string;
  readonly data: Record<string, unknown>;
}

const RETRY_MS = 500;

/**
 * Follows the events, also across restarts of the server. It resolves when it is stopped.
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
  while (!stopped.aborted) {
    if (events) {
      onEvent({ name: "connected", data: {} });
      await readEvents(events, onEvent);
      onEvent({ name: "lost", data: {} });
    }
    await sleep(RETRY_MS, stopped);
    events = await reopen(target);
  }
}

async function readEvents(events: ReadableStream<Uint8Array>, onEvent: (event: SandboxEvent) => void): Promise<void> {
  const parser = createParser({
    onEvent: ({ event, data }) => onEvent({ name: event ?? "", data: JSON.parse(data) as Record<string, unknown> }),
  });
  const decoder = new TextDecoder();
  try {
    for await (const chunk of events) parser.feed(decoder.decode(chunk, { stream: true }));
  } catch {
    // The connection ended; the reason does not matter.
  }
}

async function reopen(target: () => ControlTarget): Promise<ReadableStream<Uint8Array> | null> {
  try {
    return await openEvents(target());
  } catch {
    return null; // not yet
  }
}
