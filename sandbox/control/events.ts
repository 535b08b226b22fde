import { fail } from "../../src/http/reply.ts";
import { itemView } from "../../src/http/view.ts";
import { logView } from "../request-log.ts";
import type { ControlCall } from "./context.ts";

/** How many can listen at once. */
const MAX_LISTENERS = 100;

/** A listener that does not read is left behind at this many events. */
const MAX_UNREAD = 10_000;

/** Sent when nothing else is, so that both sides notice a dead connection. */
const HEARTBEAT_MS = 15_000;

/**
 * `GET /_momo/events`: server-sent events. `transaction` as one starts and as it ends, `request` as one is answered; a comment
 * as a heartbeat.
 */
export const events: ControlCall = async (request, context, { keepOpen }) => {
  if (context.listeners.count >= MAX_LISTENERS)
    return fail(503, "too many are listening; try again when some are gone");
  keepOpen(request);
  return new Response(eventStream(context, request.signal), {
    headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" },
  });
};

function eventStream(context: Parameters<ControlCall>[1], gone: AbortSignal): ReadableStream<Uint8Array> {
  const { service, log, realClock, listeners } = context;
  const encoder = new TextEncoder();
  let end = () => {};
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        listeners.count += 1;
        let cancelHeartbeat = () => {};
        const send = (text: string) => {
          if ((controller.desiredSize ?? 0) < -MAX_UNREAD) return end();
          controller.enqueue(encoder.encode(text));
        };
        const heartbeat = () => {
          send(": momo\n\n");
          cancelHeartbeat = realClock.alarm(realClock.nowMs() + HEARTBEAT_MS, heartbeat);
        };
        const leave = [
          service.subscribe((transaction) => send(event("transaction", itemView(transaction, "full")))),
          log.subscribe((logged) => send(event("request", logView(logged)))),
          () => cancelHeartbeat(),
        ];
        end = () => {
          end = () => {};
          listeners.count -= 1;
          for (const step of leave) step();
          try {
            controller.close();
          } catch {
            // The other side has closed it already.
          }
        };
        gone.addEventListener("abort", () => end());
        heartbeat();
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  );
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
