import { invalid } from "../../src/domain/error.ts";
import { whatCame } from "../../src/domain/what-came.ts";
import { succeedWithList } from "../../src/http/reply.ts";
import { readQuery } from "../../src/http/request.ts";
import type { ControlCall } from "./context.ts";
import { curlLine } from "./curl-line.ts";
import { readPageQuery, writePage } from "./paging.ts";
import { CONTROL_PATH } from "./path.ts";
import { requestView } from "./request-view.ts";
import { merchantOrigin } from "./server.ts";

/**
 * `GET /_momo/requests`: the last calls of the merchant API, oldest first; `?format=curl` as lines to paste. Where they do not
 * fit into one page, `next` (as lines: the header `Link`) leads to the one before, or after `?after=ID` to the one after.
 */
export const listRequests: ControlCall = async (request, { log, realClock, server }, { query }) => {
  const { format = "json" } = readQuery(query, ["format"]);
  if (format !== "json" && format !== "curl") throw invalid(`format must be json or curl${whatCame(format)}`);
  const pageQuery = readPageQuery(query);
  const addressOf = (next: string) => `${CONTROL_PATH}/requests?${next}&limit=${pageQuery.limit}`;
  if (format === "json") {
    const { texts, next } = await writePage(log.list(), pageQuery, realClock, (logged) =>
      JSON.stringify(requestView(logged)),
    );
    const message = `${texts.length} request${texts.length === 1 ? "" : "s"}`;
    return succeedWithList(message, { next: next && addressOf(next) }, "requests", texts);
  }
  const origin = merchantOrigin(request, server);
  const { texts, next } = await writePage(
    log.list(),
    pageQuery,
    realClock,
    (logged) => `${curlLine(logged, origin)}\n`,
  );
  return new Response(texts.join(""), {
    headers: {
      "Content-Type": "text/plain; charset=utf-8",
      "Cache-Control": "no-store",
      ...(next && { Link: `<${addressOf(next)}&format=curl>; rel="next"` }),
    },
  });
};
