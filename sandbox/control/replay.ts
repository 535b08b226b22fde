import { invalid, Refusal } from "../../src/domain/error.ts";
import { succeed } from "../../src/http/reply.ts";
import { REPLAY_HEADER } from "../request-log.ts";
import type { ControlCall } from "./context.ts";
import { expectEmptyBody } from "./input.ts";

/** Headers of the client that are sent again. */
const KEPT_HEADERS = ["content-type", "x-sandbox-outcome"];

/**
 * `POST /_momo/requests/ID/replay`: sends a logged request to the merchant API again, with the sandbox's own key. The log shows
 * the new request. The audit ignores it, because no client sent it.
 */
export const replayRequest: ControlCall = async (request, { log, merchantApi, server }, { id, keepOpen }) => {
  await expectEmptyBody(request);
  const logged = log.list().find((one) => String(one.id) === id);
  if (!logged) throw new Refusal("not_found", "the log has no request with this id; it keeps the last 1,000");
  if (logged.bodyCutBytes > 0)
    throw invalid("the log does not have the whole body of this request: send it from the client");
  const credentials = server.credentials();
  if (credentials === null) throw invalid("this sandbox has no key of its own");
  const headers = new Headers({
    "X-API-Key": credentials.apiKey,
    "X-API-Secret": credentials.apiSecret,
    [REPLAY_HEADER]: id,
  });
  for (const name of KEPT_HEADERS) {
    const value = logged.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  const { method, target, body } = logged;
  const hasBody = body !== null && method !== "GET" && method !== "HEAD";
  const again = new Request(new URL(target, request.url).href, { method, headers, ...(hasBody && { body }) });
  const { status } = await merchantApi(again, () => keepOpen(request)).catch(() => ({ status: null }));
  return succeed(`sent again: ${status === null ? "the answer is lost" : `HTTP ${status}`}`, { status });
};
