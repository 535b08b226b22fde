import type { Clock } from "../../src/domain/clock.ts";
import { invalid } from "../../src/domain/error.ts";
import { fail } from "../../src/http/reply.ts";
import { readQuery } from "../../src/http/request.ts";
import type { ControlCall } from "./context.ts";
import type { EventHub, EventPlace } from "./event-hub.ts";
import { nextTurn } from "./next-turn.ts";

/** After such a silence a comment goes out, so that both sides notice a dead connection. */
const HEARTBEAT_MS = 15_000;
const HEARTBEAT = ": momo\n\n";

/**
 * `GET /_momo/events`: server-sent events. `transaction` as one starts and as it ends, `request` as one is answered, `message`
 * as a customer gets one, `webhook` as a delivery is tried or lost, `steering` as somebody changes the sandbox; a comment as a heartbeat, at once and after each 15
 * seconds of silence. The header `Last-Event-ID`, or `?since=`, brings what was missed since that event; `gap` says that it
 * cannot be had any more.
 */
export const events: ControlCall = async (request, { eventHub, realClock }, { query, keepOpen }) => {
  const { since } = readQuery(query, ["since"]);
  if (since === "") throw invalid("since must be the id of an event; leave it out to read from now on");
  if (eventHub.isFull) return fail(503, "too many are listening; try again when some are gone");
  keepOpen(request);
  // A client that comes back by itself asks with the same address again, and says in the header how far it got.
  const lastId = request.headers.get("Last-Event-ID") || (since ?? null);
  return new Response(streamOf(eventHub, lastId, realClock, request.signal), {
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
};

/** Writes when it is read: what a slow reader has not read stays in the hub, and in the end makes way. */
function streamOf(
  eventHub: EventHub,
  lastId: string | null,
  realClock: Clock,
  gone: AbortSignal,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let place: EventPlace;
  let wake = () => {};
  let hasEnded = false;
  let isNew = true;
  let end = () => {};

  /** Resolves as something happens, as it ends, or after a long silence. */
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
        // It may have gone before this call was loaded: then nobody tells.
        if (gone.aborted) end();
      },
      async pull(controller) {
        // Whoever reads what was missed takes it turn by turn: all at once would hold everybody else up.
        if (!isNew) await nextTurn(realClock);
        let text = isNew ? HEARTBEAT : place.read();
        isNew = false;
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
