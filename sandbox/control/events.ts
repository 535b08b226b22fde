import { z } from "zod";
import { atMost, type Clock, pause } from "../../src/domain/clock.ts";
import { fail } from "../../src/http/reply.ts";
import { type Calls, call, replicaHeader, textReply } from "./context.ts";
import type { EventHub } from "./event-hub.ts";

/** Send a comment after this much silence, so that both sides notice a dead connection. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ": momo\n\n";

const eventsQuery = z.object({
  since: z
    .string()
    .regex(/^[0-9A-Z]{1,20}-[0-9]{1,15}$/, {
      error: "must be the id of an event, such as 4H7ZQ2M9-12; leave it out to read from now on",
    })
    .optional()
    .describe("repeats the events after this id, like the header Last-Event-ID"),
});

/**
 * docs/steering.md describes them. A comment is the heartbeat, at once and after 15 seconds of silence. `Last-Event-ID`, or `?since=`,
 * repeats missed events; `gap` says that some are lost, or that another server has changed payments. The header `Last-Event-ID` of the
 * answer is the id to go on after if the stream ends before its first event.
 */
export const EVENT_CALLS: Calls = {
  "/events": {
    GET: call(
      null,
      { query: eventsQuery, texts: ["text/event-stream"] },
      async ({ eventHub, realClock, replica }, { request, query: { since = null }, keepOpen }) => {
        if (eventHub.isFull)
          return fail(503, "too many clients read the events; try again when some have disconnected");
        keepOpen(request);
        // A client reconnects with the same address, and with the id of the last event in the header.
        const lastId = request.headers.get("Last-Event-ID") || since;
        const { stream, id } = streamOf(eventHub, lastId, realClock, request.signal);
        return textReply(stream, "text/event-stream", {
          // nginx would collect the events until its buffer is full.
          "X-Accel-Buffering": "no",
          ...(id !== null && { "Last-Event-ID": id }),
          ...replicaHeader(replica),
        });
      },
    ),
  },
};

/** Writes when the client reads. Unread events stay in the hub, which drops the oldest. */
function streamOf(
  eventHub: EventHub,
  lastId: string | null,
  realClock: Clock,
  gone: AbortSignal,
): { readonly stream: ReadableStream<Uint8Array>; readonly id: string | null } {
  const encoder = new TextEncoder();
  let wake = () => {};
  let hasEnded = false;
  let isNew = true;
  const end = () => {
    hasEnded = true;
    place.leave();
    wake();
  };
  const place = eventHub.enter(lastId, { wake: () => wake(), end });
  gone.addEventListener("abort", end);
  // If the client has already disconnected, no event is fired.
  if (gone.aborted) end();

  /** Resolves at the next event, at the end of the stream, or after a long silence. */
  function news(): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<void>();
    wake = resolve;
    return atMost(realClock, HEARTBEAT_MS, promise);
  }

  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        // Read once per turn of the event loop, so that a long replay does not block other requests.
        if (!isNew) await pause(realClock, 0); // other work has its turn
        let text = isNew ? HEARTBEAT : place.read();
        isNew = false;
        if (text === "" && !hasEnded) {
          await news();
          text = place.read() || HEARTBEAT;
        }
        if (hasEnded) controller.close();
        else controller.enqueue(encoder.encode(text));
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  return { stream, id: place.id };
}
