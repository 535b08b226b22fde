import { shown } from "../../src/domain/error.ts";
import { fail, respond } from "../../src/http/reply.ts";
import type { Handler } from "../../src/http/request.ts";
import type { ServerFacts } from "./context.ts";
import { createGuard, type GuardOptions } from "./guard.ts";

/** A request with this header is for the server with this id only. */
export const SERVER_HEADER = "X-Momo-Server";

/**
 * Refuses a request for another server before anything else: a port belongs to a new server when the old one was killed, and what a
 * command knows about the old one stays in a file. A caller who may not steer does not learn the directory.
 */
export function onlyForThisServer(next: Handler, { id, data }: ServerFacts, guardOptions: GuardOptions): Handler {
  const guard = createGuard(guardOptions);
  async function refuse(request: Request): Promise<Response> {
    const serves = data !== null && guard(request) === null ? data : "another directory";
    const meant = shown(request.headers.get(SERVER_HEADER));
    return respond(
      fail(
        421,
        `this server serves ${serves}, but the request is for another server (header ${SERVER_HEADER}): ${meant}`,
      ),
    );
  }
  return (request, keepOpen) => {
    const meant = request.headers.get(SERVER_HEADER);
    return meant === null || meant === id ? next(request, keepOpen) : refuse(request);
  };
}
