import { z } from "zod";
import { STATUSES } from "../../src/domain/transaction.ts";
import { transaction } from "../../src/http/answers.ts";
import { fail, succeed } from "../../src/http/reply.ts";
import { itemView } from "../../src/http/view.ts";
import { type Calls, call } from "./context.ts";
import { bodyOf, duration } from "./input.ts";
import { reference } from "./shapes/values.ts";

const waitRequest = z
  .strictObject({
    checkout_request_id: z.string().min(1).max(100).optional(),
    reference: reference.optional(),
    until: z.enum(["final", ...STATUSES]).default("final"),
    timeout: duration.prefault("10s"),
  })
  .refine((wait) => (wait.checkout_request_id === undefined) !== (wait.reference === undefined), {
    error: "give either checkout_request_id or reference",
  });

export const WAIT_CALLS: Calls = {
  "/wait": {
    /** The time-out runs in real time, also while the sandbox clock is frozen. */
    POST: call(
      { transaction },
      { body: bodyOf(waitRequest, { reference: "ORDER-0001", until: "final", timeout: "10s" }) },
      async ({ waitingRoom }, { request, body: { checkout_request_id, reference, until, timeout }, keepOpen }) => {
        if (waitingRoom.isFull) return fail(503, "too many calls are waiting; try again when some are done");
        keepOpen(request);
        const isAwaited = (status: string) => (until === "final" ? status !== "pending" : status === until);
        // A payment that has ended stays as it is. Another one with the same reference can still come.
        const isOver = (status: string) => checkout_request_id !== undefined && status !== "pending";
        const condition = {
          checkoutRequestId: checkout_request_id,
          reference,
          accepts: ({ status }: { status: string }) => isAwaited(status) || isOver(status),
        };
        const ending = await waitingRoom.wait(condition, timeout, request.signal);
        if (ending === "late") {
          const what = reference === undefined ? "the payment" : "a payment with exactly this reference";
          return fail(408, `${what} has not become ${until} within the time-out`);
        }
        if (ending === "forgotten")
          return fail(404, "the payment no longer exists: there was a reset, or a snapshot was restored");
        if (ending === "stopped") return fail(503, "the server stops");
        if (!isAwaited(ending.status)) {
          return fail(409, `the payment is ${ending.status}, which is final: it does not become ${until}`);
        }
        return succeed(`the payment is ${ending.status}`, { transaction: itemView(ending) });
      },
    ),
  },
};
