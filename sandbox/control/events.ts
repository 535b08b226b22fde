import { z } from "zod";
import type { Clock } from "../../src/domain/clock.ts";
import { fail } from "../../src/http/reply.ts";
import type { ControlCall } from "./context.ts";
import type { EventHub } from "./event-hub.ts";
import { parseQuery } from "./input.ts";
import { nextTurn } from "./paging.ts";
import { replicaHeader } from "./replica.ts";

/** After this much silence a comment is sent, so that both sides notice a dead connection. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ": momo\n\n";

export const eventsQuery = z.object({
  since: z
    .string()
    .regex(/^[0-9A-Z]{1,20}-[0-9]{1,15}$/, {
      error: "since must be the id of an event, such as 4H7ZQ2M9-12; leave it out to read from now on",
    })
    .optional()
    .describe("brings what happened after the event with this id; so does the header Last-Event-ID"),
});

/**
 * `GET /_momo/events`: server-sent events. `transaction` when one starts and ends, `request` when one is answered, `message`
 * when a customer gets one, `audit` when a client makes a mistake, `webhook` when a delivery is tried or lost, `steering` when
 * somebody changes the sandbox; a comment as a heartbeat, at once and after 15 seconds of silence. The header `Last-Event-ID`,
 * or `?since=`, repeats missed events; `gap` says that some are lost,
 * or that another server on the same database has changed payments.
 */
export const events: ControlCall = async (request, { eventHub, realClock, replica }, { query, keepOpen }) => {
  const { since } = parseQuery(eventsQuery, query);
  if (eventHub.isFull) return fail(503, "too many are listening; try again when some are gone");
  keepOpen(request);
  // A client that reconnects repeats the same address, and says in the header which event it read last.
  const lastId = request.headers.get("Last-Event-ID") || (since ?? null);
  return new Response(streamOf(eventHub, lastId, realClock, request.signal), {
    headers: {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Content-Type-Options": "nosniff",
      ...replicaHeader(replica),
    },
  });
};

/** Writes when the client reads. Unread events stay in the hub, and the oldest are dropped there. */
function streamOf(
  eventHub: EventHub,
  lastId: string | null,
  realClock: Clock,
  gone: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let place: ReturnType<EventHub["enter"]>;
  let wake = () => {};
  let hasEnded = false;
  let isNew = true;
  let end = () => {};

  /** Resolves when an event comes, when the stream ends, or after a long silence. */
  function news(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = realClock.alarm(realClock.nowMs() + HEARTBEAT_MS, resolve);
    wake = resolve;
    return promise.finally(cancel);
  }

  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        end = () => {
          if (hasEnded) return;
          hasEnded = true;
          place.leave();
          wake();
          try {
            controller.close();
          } catch {
            // The other side has closed it already.
          }
        };
        place = eventHub.enter(lastId, { wake: () => wake(), end: () => end() });
        gone.addEventListener("abort", () => end());
        // The client may be gone already: then no event is fired.
        if (gone.aborted) end();
      },
      async pull(controller) {
        // One turn for each reading, so that a long replay does not block others.
        if (!isNew) await nextTurn(realClock);
        let text = isNew ? HEARTBEAT : place.read();
        isNew = false;
        // Whoever left meanwhile wakes nobody any more.
        if (hasEnded) return;
        if (text === "") {
          await news();
          text = place.read() || HEARTBEAT;
        }
        if (hasEnded) return;
        controller.enqueue(encoder.encode(text));
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  );
}
