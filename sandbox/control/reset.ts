import { z } from "zod";
import { succeed } from "../../src/http/reply.ts";
import { expectJson } from "../../src/http/request.ts";
import type { ControlCall } from "./context.ts";
import { readBody } from "./input.ts";

export const resetRequest = z.strictObject({});

/**
 * `POST /_momo/reset`: removes transactions, rules, faults and the log, and resets the clock and the default. Merchants,
 * accounts and keys stay.
 */
export const reset: ControlCall = async (request, context) => {
  const { service, waitingRoom, rules, faults, log, audit, clock, rememberClock } = context;
  // A body is optional, also with a content type. The content type must be JSON, so that no HTML form can do this.
  if (request.headers.has("Content-Type")) expectJson(request);
  if (request.body !== null) await readBody(resetRequest, request);
  await service.forgetTransactions();
  waitingRoom.forget();
  rules.replace([]);
  context.default.restore();
  faults.replace(0, []);
  log.clear();
  audit.forget();
  clock.restore();
  rememberClock();
  return succeed("as new, but for merchants, accounts and keys", {});
};
