import { z } from "zod";
import { succeed } from "../../src/http/reply.ts";
import { expectJson } from "../../src/http/request.ts";
import type { ControlCall } from "./context.ts";
import { readBody } from "./input.ts";

/**
 * `POST /_momo/reset`: forgets transactions, rules, faults, log, deliveries and clock; the default and the webhook are again what
 * the server was started with. Merchants, accounts and keys stay.
 */
export const reset: ControlCall = async (request, context) => {
  const { service, waitingRoom, rules, faults, log, testPayments, audit, webhooks, clock, rememberClock } = context;
  // A body may be left out, whatever a client says of its type by habit; but no form can do this.
  if (request.headers.has("Content-Type")) expectJson(request);
  if (request.body !== null) await readBody(z.strictObject({}), request);
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
