import { z } from "zod";
import { parseDuration } from "../../src/domain/duration.ts";
import { Refusal } from "../../src/domain/error.ts";
import { STATUSES } from "../../src/domain/transaction.ts";
import { fail, succeed } from "../../src/http/reply.ts";
import { itemView } from "../../src/http/view.ts";
import type { ControlCall, ControlContext } from "./context.ts";
import { readBody, readWith } from "./input.ts";
import type { Ending, Wish } from "./waiting-room.ts";

const UNTIL = ["final", ...STATUSES] as const;

const waitSchema = z
  .strictObject({
    checkout_request_id: z.string().min(1).max(100).optional(),
    reference: z.string().max(100).optional(),
    until: z.enum(UNTIL, { error: `must be one of ${UNTIL.join(", ")}` }).default("final"),
    timeout: readWith(z.string(), (text) => parseDuration(text, "it")).default(10_000),
  })
  .refine((wait) => (wait.checkout_request_id === undefined) !== (wait.reference === undefined), {
    error: "give either checkout_request_id or reference",
  });

/**
 * `POST /_momo/wait`: answers the moment the transaction is as asked for; 408 when it is not by the time-out, which is in real
 * time even while momo's clock stands still. A reference may be of a payment that has yet to start.
 */
export const wait: ControlCall = async (request, context, { keepOpen }) => {
  const { checkout_request_id, reference, until, timeout } = await readBody(waitSchema, request);
  const wish: Wish = {
    ...(checkout_request_id !== undefined && { checkoutRequestId: checkout_request_id }),
    ...(reference !== undefined && { reference }),
    accepts: ({ status }) => (until === "final" ? status !== "pending" : status === until),
  };
  if (context.waitingRoom.isFull) return fail(503, "too many calls are waiting; try again when some are done");
  keepOpen(request);
  const ending = await fulfil(wish, timeout, request.signal, context);
  switch (ending) {
    case "late":
      return fail(408, `it has not become ${until} in time`);
    case "forgotten":
      return fail(404, "there is no such payment any more: everything was reset, or a snapshot restored");
    case "stopped":
      return fail(503, "the server stops");
    default:
      return succeed(`the payment is ${ending.status}`, { transaction: itemView(ending, "full") });
  }
};

/** Takes a place first and then looks, so that no change falls between the two. */
async function fulfil(
  wish: Wish,
  timeoutMs: number,
  gone: AbortSignal,
  { waitingRoom, service, realClock }: ControlContext,
): Promise<Ending | "late"> {
  const { promise, resolve } = Promise.withResolvers<Ending | "late">();
  const leave = waitingRoom.enter(wish, resolve);
  const cancelAlarm = realClock.alarm(realClock.nowMs() + timeoutMs, () => resolve("late"));
  gone.addEventListener("abort", () => resolve("late"));
  // It may have gone before this call was loaded: then nobody tells.
  if (gone.aborted) resolve("late");
  const look = () =>
    wish.checkoutRequestId !== undefined
      ? service.findByCheckoutRequestId(wish.checkoutRequestId)
      : service.findByReference(wish.reference ?? "");
  try {
    const now = await look();
    if (!now && wish.checkoutRequestId !== undefined) {
      throw new Refusal("not_found", "there is no payment with this checkout request id");
    }
    if (now && wish.accepts(now)) return now;
    const ending = await promise;
    // After a jump of the clock the time-out may come before the outcome that was due earlier.
    const last = ending === "late" && !gone.aborted ? await look() : null;
    return last && wish.accepts(last) ? last : ending;
  } finally {
    leave();
    cancelAlarm();
  }
}
