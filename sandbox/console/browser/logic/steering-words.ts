import type { Fault, Rule } from "../wire.ts";
import { formatAmount, formatPhone } from "./format.ts";

/** Rules and faults as text for people. */

/** `KES 100.00 from 0712 345 678: insufficient_funds after 3s, once` */
export function ruleInWords({ match, outcome, after, times }: Rule): string {
  const { phone, amount, payment_account_id, reference } = match;
  const conditions = [
    ...(amount !== undefined ? [`KES ${formatAmount(amount)}`] : []),
    ...(phone !== undefined ? [`from ${formatPhone(phone)}`] : []),
    ...(payment_account_id !== undefined ? [`to account ${payment_account_id}`] : []),
    ...(reference !== undefined ? [`for ${reference}`] : []),
  ];
  const matched = conditions.length === 0 ? "every payment" : conditions.join(" ");
  return `${matched}: ${outcome}${after === undefined ? "" : ` after ${after}`}${countWords(times)}`;
}

/** `/status.php: HTTP 503, 21 % of requests, 4 times` */
export function faultInWords({ path, kind, status, delay, probability, times }: Fault): string {
  const what =
    kind === "error" ? `HTTP ${status ?? 500}` : kind === "delay" ? `${delay} late` : "the answer is lost on its way";
  const chance = probability < 1 ? `, ${Math.round(probability * 1000) / 10} % of requests` : "";
  return `${path ?? "every operation"}: ${what}${chance}${countWords(times)}`;
}

function countWords(times: number | undefined): string {
  if (times === undefined) return "";
  return times === 1 ? ", once" : `, ${times} times`;
}
