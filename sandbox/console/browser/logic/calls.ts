import { readOrNull } from "../../../../src/domain/read-or-null.ts";
import type { LoggedRequest } from "../wire.ts";
import { formatAmount, formatPhone } from "./format.ts";

/** Why a request can be missing in the log. */
export const LOG_KEEPS = "The log keeps the last 1,000; a start of the server, a reset and a restore empty it.";

/** The operation in the path of a request, without base path and query. */
export const operationOf = (target: string): string => /[^/]*$/.exec(target.split("?", 1)[0] ?? "")?.[0] || target;

/** The filters of the log, as typed; empty if not used. The answer is `2xx`, `4xx`, `5xx` or `lost`. */
export const NO_CALL_FILTERS = { search: "", answer: "" };

export type CallFilters = Readonly<typeof NO_CALL_FILTERS>;

/** The class of an answer: `2xx`, or `lost` if the answer was not delivered. */
const classOf = ({ status, delivered }: Pick<LoggedRequest, "status" | "delivered">): string =>
  status === null || !delivered ? "lost" : `${Math.floor(status / 100)}xx`;

/** The status of an answer, and whether it was lost. */
export const answerIn = ({ status, delivered }: Pick<LoggedRequest, "status" | "delivered">): string =>
  status === null ? "lost" : `${status}${delivered ? "" : ", lost"}`;

export function fitsCall(request: LoggedRequest, filters: CallFilters): boolean {
  const search = filters.search.trim().toLowerCase();
  const isOfClass = filters.answer === "" || classOf(request) === filters.answer;
  return isOfClass && (search === "" || textOf(request).includes(search));
}

/** The text that a search compares. */
function textOf({ method, target, body, answer, checkout_request_id }: LoggedRequest): string {
  const answered = typeof answer === "string" ? answer : JSON.stringify(answer);
  return `${method} ${target} ${body ?? ""} ${answered} ${checkout_request_id ?? ""}`.toLowerCase();
}

/** A request in a few words: `KES 100.00 for ORDER-0001 from 0712 345 678`, `completed`, a refusal and its order; empty for other requests. */
export function gistOf({ target, body, answer }: Pick<LoggedRequest, "target" | "body" | "answer">): string {
  const answered = members(answer);
  const sent = members(parsed(body));
  if (answered.success === false) {
    const order = target.includes("/stkpush.php") ? (sent.reference ?? sent.phone) : undefined;
    return [answered.message, order].filter(Boolean).join(" · ");
  }
  if (target.includes("/status.php")) return String(answered.status ?? "");
  // The log cuts a long list; its message is at the beginning.
  if (target.includes("/transactions.php")) {
    return String(answered.message ?? /"message":"([^"]*)"/.exec(String(answer))?.[1] ?? "");
  }
  if (!target.includes("/stkpush.php")) return "";
  const { amount, phone, reference } = sent;
  return [
    ...(typeof amount === "number" ? [`KES ${formatAmount(amount)}`] : []),
    ...(typeof reference === "string" && reference !== "" ? [`for ${reference}`] : []),
    ...(typeof phone === "string" ? [`from ${formatPhone(phone.replace(/^0/, "254"))}`] : []),
  ].join(" ");
}

function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

const parsed = (text: string | null): unknown => readOrNull(() => JSON.parse(text ?? "null"));
