import { z } from "zod";
import { Refusal } from "../../src/domain/error.ts";
import { STATUSES } from "../../src/domain/transaction.ts";
import { fail, succeed } from "../../src/http/reply.ts";
import { itemView } from "../../src/http/view.ts";
import type { ControlCall, ControlContext } from "./context.ts";
import { duration, readBody } from "./input.ts";
import type { WaitCondition, WaitEnd } from "./waiting-room.ts";

const UNTIL = ["final", ...STATUSES] as const;

export const waitRequest = z
  .strictObject({
    checkout_request_id: z.string().min(1).max(100).optional(),
    reference: z.string().max(100).optional(),
    until: z.enum(UNTIL, { error: `must be one of ${UNTIL.join(", ")}` }).default("final"),
    timeout: duration.default(10_000),
  })
  .refine((wait) => (wait.checkout_request_id === undefined) !== (wait.reference === undefined), {
    error: "give either checkout_request_id or reference",
  });

/**
 * `POST /_momo/wait`: answers as soon as the transaction has the status; 408 after the time-out, which runs in real time, also while
 * the sandbox clock is frozen. The reference may be that of a payment that has not started yet.
 */
export const wait: ControlCall = async (request, context, { keepOpen }) => {
  const { checkout_request_id, reference, until, timeout } = await readBody(waitRequest, request);
  const condition: WaitCondition = {
    ...(checkout_request_id !== undefined && { checkoutRequestId: checkout_request_id }),
    ...(reference !== undefined && { reference }),
    accepts: ({ status }) => (until === "final" ? status !== "pending" : status === until),
  };
  if (context.waitingRoom.isFull) return fail(503, "too many calls are waiting; try again when some are done");
  keepOpen(request);
  const ending = await endOf(condition, timeout, request.signal, context);
  switch (ending) {
    case "late":
      return fail(408, `the payment has not become ${until} within the time-out`);
    case "forgotten":
      return fail(404, "the payment no longer exists: there was a reset, or a snapshot was restored");
    case "stopped":
      return fail(503, "the server stops");
    default:
      return succeed(`the payment is ${ending.status}`, { transaction: itemView(ending) });
  }
};

/** Subscribes before it reads, so that no change is missed between the two. */
async function endOf(
  condition: WaitCondition,
  timeoutMs: number,
  gone: AbortSignal,
  { waitingRoom, service, realClock }: ControlContext,
): Promise<WaitEnd | "late"> {
  const { promise, resolve } = Promise.withResolvers<WaitEnd | "late">();
  const leave = waitingRoom.enter(condition, resolve);
  const cancelAlarm = realClock.alarm(realClock.nowMs() + timeoutMs, () => resolve("late"));
  gone.addEventListener("abort", () => resolve("late"));
  // If the client has already disconnected, no event is fired.
  if (gone.aborted) resolve("late");
  const lookUp = () =>
    condition.checkoutRequestId !== undefined
      ? service.findByCheckoutRequestId(condition.checkoutRequestId)
      : service.findByReference(condition.reference ?? "");
  try {
    const now = await lookUp();
    if (!now && condition.checkoutRequestId !== undefined) {
      throw new Refusal("not_found", "there is no payment with this checkout request id");
    }
    if (now && condition.accepts(now)) return now;
    const ending = await promise;
    // After a jump of the clock the time-out may ring before an outcome that was due earlier.
    const last = ending === "late" && !gone.aborted ? await lookUp() : null;
    return last && condition.accepts(last) ? last : ending;
  } finally {
    leave();
    cancelAlarm();
  }
}
