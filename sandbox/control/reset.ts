import { succeed } from "../../src/http/reply.ts";
import type { ControlCall } from "./context.ts";

/** `POST /_momo/reset`: forgets transactions, rules, faults, log and clock; merchants, accounts and keys stay. */
export const reset: ControlCall = async (_request, { service, rules, faults, log, clock, rememberClock }) => {
  await service.forgetTransactions();
  rules.replace([]);
  faults.replace(0, []);
  log.clear();
  clock.restore();
  rememberClock();
  return succeed("as new, but for merchants, accounts and keys", {});
};
