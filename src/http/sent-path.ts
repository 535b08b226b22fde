import type { BunRequest } from "bun";
import { ambiguousPath } from "./reply.ts";
import { type Refuse, targetOf } from "./request.ts";

/**
 * Bun resolves dot segments and backslashes in `request.url`, so `/v2/../_momo` looks like `/_momo`: it would get past a proxy
 * that passes only `/v2`. The routes of Bun match the path as it was sent, so their parameters are its unescaped parts.
 */

/** No known path has more parts. */
const MAX_PATH_PARTS = 8;

type Serve = (request: Request) => Response | Promise<Response>;

/**
 * Routes for all paths, which refuse ambiguous paths.
 * @param busy frequent paths. They have their own routes, which match only the path as it was sent, and so save 1 µs
 */
export function routesOf(
  busy: readonly string[],
  serve: Serve,
  refuse: Refuse,
): Record<string, (request: BunRequest<string>) => Response | Promise<Response>> {
  const routes: ReturnType<typeof routesOf> = {};
  for (const path of ["/", ...busy]) routes[path] = serve;
  const serveIfPlain = (request: Request, sent: readonly string[]) =>
    isPlain(request, sent)
      ? serve(request)
      : refuse(request, ambiguousPath(), `/${sent.map(encodeURIComponent).join("/")}`);
  let path = "";
  for (let count = 1; count <= MAX_PATH_PARTS; count += 1) {
    path += `/:part${count}`;
    routes[path] = (request) => serveIfPlain(request, Object.values(request.params));
    routes[`${path}/`] = (request) => serveIfPlain(request, [...Object.values(request.params), ""]);
  }
  return routes;
}

/** Serves a path that matches no route. If its resolved form would match one, the path is ambiguous. */
export const serveUnrouted =
  (serve: Serve, refuse: Refuse): Serve =>
  (request) => {
    const { path } = targetOf(request);
    const parts = path.split("/").slice(1);
    const fitsResolved = parts.length <= MAX_PATH_PARTS && !parts.slice(0, -1).includes("");
    return path.startsWith("/") && fitsResolved ? refuse(request, ambiguousPath(), path) : serve(request);
  };

const DOTS_OR_BACKSLASH = /\\|^\.{1,2}$/;

function isPlain(request: Request, sent: readonly string[]): boolean {
  const { path } = targetOf(request);
  if (!path.startsWith("/")) return true; // CONNECT has no path
  return !sent.some((part) => DOTS_OR_BACKSLASH.test(part)) && path.split("/").length === sent.length + 1;
}
