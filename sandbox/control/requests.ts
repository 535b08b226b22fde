import { z } from "zod";
import { counted } from "../../src/domain/counted.ts";
import { invalid, Refusal } from "../../src/domain/error.ts";
import { parametersIn } from "../../src/domain/parameters.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { redact } from "../../src/domain/redact.ts";
import { succeed, succeedWithList } from "../../src/http/reply.ts";
import { headerText } from "../../src/http/request.ts";
import { curlLine } from "../curl.ts";
import { fits } from "../network/rule-match.ts";
import { type LoggedRequest, OWN_HEADER, REPLAY_HEADER } from "../request-log.ts";
import { type Calls, type ControlContext, call, ownedBy, replicaHeader, textReply } from "./context.ts";
import { noBody, pageQuery } from "./input.ts";
import { nextPage, writePage } from "./paging.ts";
import { merchantOrigin } from "./server.ts";
import { requestPage } from "./shapes/requests.ts";
import { requestView } from "./views.ts";

const filters = {
  path: z.string().optional().describe("only requests with this text in their path, such as status.php"),
  status: z
    .string()
    .regex(/^[1-5](?:[0-9]{2}|xx)$/, { error: "must be a status of HTTP, such as 401, or 4xx" })
    .optional()
    .describe("only requests with this answer, such as 401, or 4xx"),
  reference: z
    .string()
    .optional()
    .describe("only requests that name this reference, or a payment that has it; with * at its end, all that begin so"),
};

const requestsQuery = pageQuery.safeExtend({
  format: z.enum(["json", "curl"], { error: "must be json or curl" }).default("json"),
  ...filters,
});

type Filters = Pick<z.output<typeof requestsQuery>, keyof typeof filters>;

/** The requests of the log that fit. */
async function selected({ log, service }: ControlContext, { path, status, reference }: Filters) {
  const all = log.list();
  const ofPayment = reference === undefined ? null : await requestsOf(reference, all, service);
  return all.filter(
    (request) =>
      (path === undefined || request.target.split("?", 1)[0]?.includes(path)) &&
      (status === undefined || hasStatus(request, status)) &&
      (ofPayment === null || ofPayment(request)),
  );
}

/** @param status three digits, or a digit and `xx` */
const hasStatus = (request: LoggedRequest, status: string): boolean =>
  request.status !== null && (String(request.status) === status || status === `${Math.floor(request.status / 100)}xx`);

/** Whether a request names the reference, or is about a payment with it. */
async function requestsOf(reference: string, all: readonly LoggedRequest[], service: ControlContext["service"]) {
  const names = ({ body, target }: LoggedRequest) =>
    [membersIn(body)?.reference, ...parametersIn(target.split("?")[1] ?? "").values()].some(
      (text) => typeof text === "string" && fits(reference, text),
    );
  const ids = new Set(all.filter(names).map(({ checkoutRequestId }) => checkoutRequestId));
  ids.add((await service.findByReference(reference))?.checkoutRequestId ?? null);
  ids.delete(null);
  return (request: LoggedRequest) => ids.has(request.checkoutRequestId) || names(request);
}

const membersIn = (body: string | null): { readonly reference?: unknown } | null =>
  readOrNull(() => JSON.parse(body ?? "") as { readonly reference?: unknown } | null);

const replayed = { status: z.int().nullable().describe("null if the answer is lost") };

/** The log of the requests to the merchant API. */
export const REQUEST_CALLS: Calls = {
  "/requests": {
    /**
     * `?format=curl` as lines to paste. `next` (for curl: the header `Link`) is the address of the previous page, or with `?after=ID`
     * of the following page.
     */
    GET: call(
      requestPage,
      { query: requestsQuery, texts: ["text/plain"] },
      async (context, { request, query: { format, after, before, limit, ...given } }) => {
        const { realClock, server, replica } = context;
        const page = { after, before, limit };
        const origin = merchantOrigin(request, server);
        const write = (logged: LoggedRequest) =>
          format === "curl" ? `${lineOf(logged, origin)}\n` : JSON.stringify(requestView(logged));
        const { texts, more } = await writePage(await selected(context, given), page, realClock, write);
        const kept = new URLSearchParams();
        for (const [name, text] of Object.entries(given)) if (text !== undefined) kept.set(name, text);
        const following = nextPage(more, "/requests", `limit=${limit}${kept.size === 0 ? "" : `&${kept}`}`);
        if (format === "json") {
          const members = { ...ownedBy(replica), ...following };
          return succeedWithList(counted(texts.length, "request"), members, "requests", texts);
        }
        return textReply(texts.join(""), "text/plain; charset=utf-8", {
          ...replicaHeader(replica),
          ...(following.next !== null && { Link: `<${following.next}&format=curl>; rel="next"` }),
        });
      },
    ),
  },
  "/requests/ID/replay": {
    /** With the sandbox's own key. The log shows the new request. The audit ignores it, because no client sent it. */
    POST: call(replayed, { body: noBody }, async ({ log, merchantApi, server }, { request, id, keepOpen }) => {
      const logged = log.list().find((one) => String(one.id) === id);
      if (!logged) throw new Refusal("not_found", "the log has no request with this id; it keeps the last 1,000");
      if (logged.bodyCutBytes > 0) {
        throw invalid("the log does not have the whole body of this request: send it from the client");
      }
      const credentials = server.credentials;
      if (credentials === null) throw invalid("this sandbox has no key of its own");
      const headers = new Headers({
        "X-API-Key": credentials.api_key,
        "X-API-Secret": credentials.api_secret,
        [REPLAY_HEADER]: id,
        [OWN_HEADER]: server.ownSecret,
      });
      for (const name of KEPT_HEADERS) {
        const value = logged.headers.get(name);
        if (value !== null) headers.set(name, value);
      }
      const { method, target, body } = logged;
      const hasBody = body !== null && method !== "GET" && method !== "HEAD";
      const url = new URL(target, request.url);
      if (url.pathname !== target.split("?", 1)[0] || UNSENDABLE.has(method)) {
        throw invalid("this request cannot be sent again as it was: send it from the client");
      }
      const again = new Request(url.href, { method, headers, ...(hasBody && { body }) });
      const answered = async () => {
        const answer = await merchantApi(again, () => keepOpen(request));
        await answer.arrayBuffer(); // fails if the answer is lost
        return answer.status;
      };
      const status = await answered().catch(() => null);
      return succeed(`sent again: ${status === null ? "the answer is lost" : `HTTP ${status}`}`, { status });
    }),
  },
};

/** Methods that no Request can have. */
const UNSENDABLE = new Set(["CONNECT", "TRACE", "TRACK"]);

/** Headers of the client that are sent again. */
const KEPT_HEADERS = ["content-type", "x-sandbox-outcome"];

/** The line for a shell with `$MOMO_API_SECRET`; a comment if the log does not have the whole body. */
function lineOf({ method, target, headers, body, bodyCutBytes }: LoggedRequest, origin: string): string {
  if (bodyCutBytes > 0) {
    return `# left out, because the log does not keep all of its body: ${method} ${redact(target)}`;
  }
  const sent = [...headers].filter(([name]) => name !== OWN_HEADER);
  const shown = sent.map(([name, value]) => [name, redact(headerText(value))] as const);
  const request = { method, target: redact(target), headers: shown, body: body && redact(body) };
  return curlLine(request, origin, "$MOMO_API_SECRET");
}
