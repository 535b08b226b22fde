import { succeed } from "../../src/http/reply.ts";
import type { ControlCall } from "./context.ts";
import { expectEmptyBody } from "./input.ts";

/**
 * `POST /_momo/reset`: removes transactions, rules, faults, the log and deliveries, and resets the clock, the default and the
 * webhook. Merchants, accounts and keys stay.
 */
export const reset: ControlCall = async (request, context) => {
  const { service, waitingRoom, rules, faults, log, testPayments, audit, webhooks, clock, rememberClock } = context;
  await expectEmptyBody(request);
  await service.forgetTransactions();
  waitingRoom.forget();
  rules.replace([]);
  context.default.restore();
  faults.replace(0, []);
  log.clear();
  testPayments.clear();
  audit.forget();
  webhooks.reset();
  clock.restore();
  rememberClock();
  return succeed("as new, but for merchants, accounts and keys", {});
};
