import type { Finding, LoggedRequest } from "../wire.ts";
import { members, parsed } from "./gist.ts";

/** The payment that a request started or polled; null if there is none, or if the log has cut its id. */
export function paymentOf({ target, body, answer }: Pick<LoggedRequest, "target" | "body" | "answer">): string | null {
  const { checkout_request_id } = target.includes("/status.php") ? members(parsed(body)) : members(answer);
  return typeof checkout_request_id === "string" ? checkout_request_id : null;
}

/** The operation in the path of a request, without base path and query. */
export const operationOf = (target: string): string => /[^/]*$/.exec(target.split("?", 1)[0] ?? "")?.[0] || target;

/** The filters of the log, as typed; empty if not used. */
export interface CallFilters {
  readonly search: string;
  readonly path: string;
  readonly method: string;
  /** `2xx`, `4xx`, `5xx` or `lost`. */
  readonly answer: string;
  /** `any`, or the kind of a mistake. */
  readonly mistake: string;
  readonly payment: string;
}

export const NO_CALL_FILTERS: CallFilters = { search: "", path: "", method: "", answer: "", mistake: "", payment: "" };
const NAMES = Object.keys(NO_CALL_FILTERS) as (keyof CallFilters)[];

export function callFiltersOf(query: Readonly<Record<string, string>>): CallFilters {
  const given = Object.fromEntries(NAMES.flatMap((name) => (query[name] ? [[name, query[name]]] : [])));
  return { ...NO_CALL_FILTERS, ...given };
}

/** The class of an answer: `2xx`, or `lost` if the answer was not delivered. */
const classOf = ({ status }: Pick<LoggedRequest, "status">): string =>
  status === null ? "lost" : `${Math.floor(status / 100)}xx`;

/** @param found the findings about the request */
export function fitsCall(request: LoggedRequest, filters: CallFilters, found: readonly Finding[] = []): boolean {
  const { search, path, method, answer, mistake, payment } = filters;
  return (
    (path === "" || operationOf(request.target) === path) &&
    (method === "" || request.method === method) &&
    (answer === "" || classOf(request) === answer) &&
    (mistake === "" || (mistake === "any" ? found.length > 0 : found.some(({ kind }) => kind === mistake))) &&
    (payment === "" || paymentOf(request) === payment.trim()) &&
    (search === "" || textOf(request).includes(search.trim().toLowerCase()))
  );
}

/** The text that a search compares. */
function textOf({ method, target, body, answer }: LoggedRequest): string {
  const answered = typeof answer === "string" ? answer : JSON.stringify(answer);
  return `${method} ${target} ${body ?? ""} ${answered}`.toLowerCase();
}
