import type { Clock } from "../../src/domain/clock.ts";
import { fail } from "../../src/http/reply.ts";
import type { ControlCall } from "./context.ts";
import type { EventHub } from "./event-hub.ts";

/** A listener that does not read is left behind at this many events. */
const MAX_UNREAD = 10_000;

/** A comment goes out so often, so that both sides notice a dead connection. */
const HEARTBEAT_MS = 15_000;

/**
 * `GET /_momo/events`: server-sent events. `transaction` as one starts and as it ends, `request` as one is answered; a comment
 * as a heartbeat, at once and then every 15 seconds.
 */
export const events: ControlCall = async (request, { eventHub, realClock }, { keepOpen }) => {
  if (eventHub.isFull) return fail(503, "too many are listening; try again when some are gone");
  keepOpen(request);
  return new Response(streamOf(eventHub, realClock, request.signal), {
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
};

function streamOf(eventHub: EventHub, realClock: Clock, gone: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let end = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        let hasEnded = false;
        let cancelHeartbeat = () => {};

        function send(text: string): void {
          if ((controller.desiredSize ?? 0) < -MAX_UNREAD) end();
          if (!hasEnded) controller.enqueue(encoder.encode(text));
        }

        function beat(): void {
          send(": momo\n\n");
          if (!hasEnded) cancelHeartbeat = realClock.alarm(realClock.nowMs() + HEARTBEAT_MS, beat);
        }

        end = () => {
          if (hasEnded) return;
          hasEnded = true;
          leave();
          cancelHeartbeat();
          try {
            controller.close();
          } catch {
            // The other side has closed it already.
          }
        };

        const leave = eventHub.enter({ send, end: () => end() });
        gone.addEventListener("abort", () => end());
        beat();
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  );
}
