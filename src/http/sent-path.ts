import type { BunRequest } from "bun";
import { markAmbiguous, targetOf } from "./request.ts";

/**
 * Bun resolves dot segments and backslashes in `request.url`, so `/v2/../_momo` looks like `/_momo`: it would get past a proxy
 * that passes only `/v2`. The routes of Bun match the path as it was sent, so their parameters are its unescaped parts.
 */

/** No known path has more parts. Each part costs 0.03 ms of the start. */
const MAX_PATH_PARTS = 8;

type Serve = (request: Request) => Response | Promise<Response>;

/**
 * Routes for all paths, which mark the requests whose path is ambiguous.
 * @param busy paths with routes of their own, which match them as they were sent: nothing is left to compare, which takes 1 µs
 */
export function routesOf(
  busy: readonly string[],
  serve: Serve,
): Record<string, (request: BunRequest<string>) => Response | Promise<Response>> {
  const routes: ReturnType<typeof routesOf> = {};
  for (const path of ["/", ...busy]) routes[path] = serve;
  let path = "";
  for (let count = 1; count <= MAX_PATH_PARTS; count += 1) {
    path += `/:part${count}`;
    routes[path] = (request) => {
      compare(request, Object.values(request.params));
      return serve(request);
    };
    routes[`${path}/`] = (request) => {
      compare(request, [...Object.values(request.params), ""]);
      return serve(request);
    };
  }
  return routes;
}

/** A path that fits no route leads nowhere as it was sent. If its resolved form fits, it is ambiguous. */
export function markUnrouted(request: Request): void {
  const { path } = targetOf(request);
  const parts = path.split("/").slice(1);
  const couldLeadSomewhere = parts.length <= MAX_PATH_PARTS && !parts.slice(0, -1).includes("");
  if (path.startsWith("/") && couldLeadSomewhere) markAmbiguous(request, path);
}

const DOTS_OR_BACKSLASH = /\\|^\.{1,2}$/;

function compare(request: Request, sent: readonly string[]): void {
  const { path } = targetOf(request);
  if (!path.startsWith("/")) return; // CONNECT has no path
  const isAmbiguous = sent.some((part) => DOTS_OR_BACKSLASH.test(part)) || path.split("/").length !== sent.length + 1;
  if (isAmbiguous) markAmbiguous(request, `/${sent.map(encodeURIComponent).join("/")}`);
}
