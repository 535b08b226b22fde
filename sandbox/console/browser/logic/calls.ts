import type { Finding, LoggedRequest } from "../wire.ts";
import { givenOf } from "./filters.ts";
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
  /** `any`, or the kind of a finding. */
  readonly finding: string;
  readonly payment: string;
}

export const NO_CALL_FILTERS: CallFilters = { search: "", path: "", method: "", answer: "", finding: "", payment: "" };

export const callFiltersOf = (query: Readonly<Record<string, string>>): CallFilters => givenOf(NO_CALL_FILTERS, query);

/** The class of an answer: `2xx`, or `lost` if the answer was not delivered. */
const classOf = ({ status }: Pick<LoggedRequest, "status">): string =>
  status === null ? "lost" : `${Math.floor(status / 100)}xx`;

/** @param found the findings about the request */
export function fitsCall(request: LoggedRequest, filters: CallFilters, found: readonly Finding[] = []): boolean {
  const { path, method, answer, finding } = filters;
  const [search, payment] = [filters.search.trim().toLowerCase(), filters.payment.trim()];
  return (
    (path === "" || operationOf(request.target) === path) &&
    (method === "" || request.method === method) &&
    (answer === "" || classOf(request) === answer) &&
    (finding === "" || (finding === "any" ? found.length > 0 : found.some(({ kind }) => kind === finding))) &&
    (payment === "" || paymentOf(request) === payment) &&
    (search === "" || textOf(request).includes(search))
  );
}

/** The text that a search compares. */
function textOf({ method, target, body, answer }: LoggedRequest): string {
  const answered = typeof answer === "string" ? answer : JSON.stringify(answer);
  return `${method} ${target} ${body ?? ""} ${answered}`.toLowerCase();
}
