import guide from "../../docs/llms.txt" with { type: "text" };
import { CONSOLE_PATH } from "../../sandbox/console/page.ts";
import { CONTROL_PATH } from "../../sandbox/control/context.ts";
import { fail, noSuchPath, respond } from "../../src/http/reply.ts";
import { type Handler, targetOf } from "../../src/http/request.ts";

/** Which handler answers which path. */

/** One port for both APIs. */
export const onOnePort = (control: Handler, page: Handler, merchantApi: Handler): Handler =>
  route(control, page, merchantApi);

/** The port of the merchant API, if the control API has its own. */
export const onMerchantPort =
  (merchantApi: Handler): Handler =>
  (request, keepOpen) =>
    targetOf(request).path === GUIDE_PATH ? serveGuide(request) : merchantApi(request, keepOpen);

/** The port of the control API, if it has its own. */
export const onControlPort = (control: Handler, page: Handler): Handler => route(control, page, refuseOthers);

const refuseOthers: Handler = async () =>
  respond(noSuchPath(`the control API is below ${CONTROL_PATH}, the merchant API elsewhere`));

/** The guide, the control API and the console. A browser gets the console at /, the only path of the merchant API that it has. */
function route(control: Handler, page: Handler, others: Handler): Handler {
  return (request, keepOpen) => {
    const { path } = targetOf(request);
    if (path === GUIDE_PATH) return serveGuide(request);
    const isRoot = path === "/" && (request.method === "GET" || request.method === "HEAD");
    if (path === CONSOLE_PATH || path === CONTROL_PATH || isRoot) return page(request, keepOpen);
    return path.startsWith(CONSOLE_PATH) ? control(request, keepOpen) : others(request, keepOpen);
  };
}

/** Where AI assistants look for a description of a site. */
const GUIDE_PATH = "/llms.txt";

const GUIDE_HEADERS = { "Content-Type": "text/plain; charset=utf-8", "X-Content-Type-Options": "nosniff" };

/** The guide has no secrets, so it needs no credentials. */
async function serveGuide({ method }: Request): Promise<Response> {
  if (method === "GET" || method === "HEAD") return new Response(guide, { headers: GUIDE_HEADERS });
  return respond(fail(405, "this path takes GET, HEAD only", { Allow: "GET, HEAD" }));
}
