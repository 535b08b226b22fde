import { z } from "zod";
import { succeed } from "../../src/http/reply.ts";
import type { ControlCall } from "./context.ts";
import { readBody } from "./input.ts";

/**
 * `POST /_momo/reset`: forgets transactions, rules, faults, log and clock; the default is again what the server was started
 * with. Merchants, accounts and keys stay.
 */
export const reset: ControlCall = async (request, context) => {
  const { service, waitingRoom, rules, faults, log, clock, rememberClock } = context;
  // A body may be left out; one that comes must be JSON, as everywhere, so that no form can do this.
  if (request.body !== null || request.headers.has("Content-Type")) await readBody(z.strictObject({}), request);
  await service.forgetTransactions();
  waitingRoom.forget();
  rules.replace([]);
  context.default.restore();
  faults.replace(0, []);
  log.clear();
  clock.restore();
  rememberClock();
  return succeed("as new, but for merchants, accounts and keys", {});
};
