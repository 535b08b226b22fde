import { Refusal } from "../../src/domain/error.ts";
import { succeed } from "../../src/http/reply.ts";
import type { ControlCall } from "./context.ts";
import { expectEmptyBody } from "./input.ts";

/**
 * `POST /_momo/reset`: removes transactions, rules, faults, the log and deliveries, and resets the clock, the default and the
 * webhook. Merchants, accounts and keys stay.
 */
export const reset: ControlCall = async (request, context) => {
  const { service, steering, replica, state } = context;
  await expectEmptyBody(request);
  if (replica?.allowsReset === false) {
    throw new Refusal(
      "conflict",
      "other servers share this database, and a reset would remove their payments: start momo serve with --allow-reset",
    );
  }
  await service.forgetTransactions();
  await steering.change(() => {
    for (const part of Object.values(state)) part.reset();
  });
  context.rememberClock();
  return succeed("reset; merchants, accounts and keys are kept", {});
};
