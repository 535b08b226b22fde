import { invalid } from "../../src/domain/error.ts";
import { whatCame } from "../../src/domain/what-came.ts";
import { succeed } from "../../src/http/reply.ts";
import { readQuery } from "../../src/http/request.ts";
import type { ControlCall } from "./context.ts";
import { curlLine } from "./curl-line.ts";
import { requestView } from "./request-view.ts";

/** `GET /_momo/requests`: the last calls of the merchant API, oldest first; `?format=curl` as lines to paste. */
export const listRequests: ControlCall = async (request, { log }, { query }) => {
  const { format = "json" } = readQuery(query, ["format"]);
  const requests = log.list();
  if (format === "json") {
    return succeed(`${requests.length} request${requests.length === 1 ? "" : "s"}`, {
      requests: requests.map(requestView),
    });
  }
  if (format !== "curl") throw invalid(`format must be json or curl${whatCame(format)}`);
  const origin = `http://${request.headers.get("Host") ?? "127.0.0.1"}`;
  const lines = requests.map((logged) => `${curlLine(logged, origin)}\n`);
  return new Response(lines.join(""), {
    headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" },
  });
};
