import { fail, respond } from "../../src/http/reply.ts";
import { type Handler, targetOf } from "../../src/http/request.ts";

/** Where AI assistants look for a description of a site. */
const GUIDE_PATH = "/llms.txt";

const HEADERS = { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" };

/** Serves the guide for AI assistants in front of a handler. The guide holds nothing secret, so it needs no credentials. */
export function withGuide(next: Handler, guide: string): Handler {
  const serveGuide = async ({ method }: Request): Promise<Response> =>
    method === "GET" || method === "HEAD"
      ? new Response(guide, { headers: HEADERS })
      : respond(fail(405, "this path takes GET, HEAD only", { Allow: "GET, HEAD" }));
  return (request, keepOpen) => (targetOf(request).path === GUIDE_PATH ? serveGuide(request) : next(request, keepOpen));
}
