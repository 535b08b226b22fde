import { z } from "zod";
import { redact } from "../../src/domain/credentials.ts";
import { succeedWithList } from "../../src/http/reply.ts";
import type { LoggedRequest } from "../request-log.ts";
import { CONTROL_PATH, type ControlCall } from "./context.ts";
import { pageQuery, parseQuery } from "./input.ts";
import { writePage } from "./paging.ts";
import { ownedBy, replicaHeader } from "./replica.ts";
import { merchantOrigin } from "./server.ts";
import { counted, requestView } from "./views.ts";

export const requestsQuery = pageQuery.safeExtend({
  format: z.enum(["json", "curl"], { error: "format must be json or curl" }).default("json"),
});

/**
 * `GET /_momo/requests`: the last requests to the merchant API, oldest first; `?format=curl` as lines to paste. `next` (for curl:
 * the header `Link`) is the address of the previous page, or with `?after=ID` of the following page.
 */
export const listRequests: ControlCall = async (request, { log, realClock, server, replica }, { query }) => {
  const { format, ...page } = parseQuery(requestsQuery, query);
  const addressOf = (next: string) => `${CONTROL_PATH}/requests?${next}&limit=${page.limit}`;
  if (format === "json") {
    const { texts, next } = await writePage(log.list(), page, realClock, (logged) =>
      JSON.stringify(requestView(logged)),
    );
    const members = { ...ownedBy(replica), next: next && addressOf(next) };
    return succeedWithList(counted(texts.length, "request"), members, "requests", texts);
  }
  const origin = merchantOrigin(request, server);
  const { texts, next } = await writePage(log.list(), page, realClock, (logged) => `${curlLine(logged, origin)}\n`);
  return new Response(texts.join(""), {
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
      ...replicaHeader(replica),
      ...(next && { Link: `<${addressOf(next)}&format=curl>; rel="next"` }),
    },
  });
};

/** curl has its own flag for HEAD: with -X HEAD it waits for a body that never arrives. */
const METHOD_OPTIONS: Record<string, readonly string[]> = { GET: [], HEAD: ["-I"] };

/** Headers that the caller sets. curl adds the others, as any HTTP client does. */
const WRITTEN_HEADERS = new Set(["x-api-key", "x-api-secret", "content-type", "x-sandbox-outcome"]);

/**
 * A logged request as a `curl` line for a shell with `$MOMO_API_SECRET`; a comment if the log does not have the whole body.
 */
function curlLine(request: LoggedRequest, origin: string): string {
  const { method, bodyCutBytes } = request;
  if (bodyCutBytes > 0) {
    return `# left out, because the log does not keep all of its body: ${method} ${redact(request.target)}`;
  }
  const headers = [...request.headers]
    .filter(([name]) => WRITTEN_HEADERS.has(name))
    .map(([name, value]) =>
      name === "x-api-secret" ? `-H "x-api-secret: $MOMO_API_SECRET"` : `-H ${quote(`${name}: ${redact(value)}`)}`,
    );
  return [
    // Without this flag curl resolves `..`, and the line would request another path than the log shows.
    /\/\.{1,2}(?:[/?]|$)/.test(request.target) ? "curl -g --path-as-is" : "curl -g",
    ...(METHOD_OPTIONS[method] ?? ["-X", method]),
    quote(origin + redact(request.target)),
    ...headers,
    ...(request.body === null ? [] : ["--data-raw", quote(redact(request.body))]),
  ].join(" ");
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
