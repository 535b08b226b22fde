import { createParser } from "eventsource-parser";
import { sleep } from "../../src/system.ts";
import { openEvents } from "./client.ts";
import type { ControlTarget } from "./target.ts";

/** An event of the sandbox; `connected` and `lost` say how the stream itself is. */
export interface SandboxEvent {
  readonly name: string;
  readonly data: Record<string, unknown>;
}

/** How long after a lost connection the next one is tried. */
const RETRY_MS = 500;

/**
 * Follows what happens, also across restarts of the server; resolves when it is told to stop.
 * @param target which server, asked anew for each connection: a restart may have changed its port
 * @param first its stream, open already, so that a server that is not there is told by the command
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
    // Broken off: which way a server goes makes no difference.
  }
}

async function reopen(target: () => ControlTarget): Promise<ReadableStream<Uint8Array> | null> {
  try {
    return await openEvents(target());
  } catch {
    return null; // not yet
  }
}
