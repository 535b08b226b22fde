import type { LoggedRequest } from "../wire.ts";
import { formatAmount, formatPhone } from "./format.ts";

/** A request in a few words: `KES 100.00 for ORDER-1 from 0712 345 678`, `completed`; empty for other requests. */
export function gistOf({ target, body, answer }: Pick<LoggedRequest, "target" | "body" | "answer">): string {
  const answered = members(answer);
  if (answered.success === false) return String(answered.message ?? "");
  if (target.includes("/status.php")) return String(answered.status ?? "");
  // The log cuts a long list; its message is at the beginning.
  if (target.includes("/transactions.php")) {
    return String(answered.message ?? /"message":"([^"]*)"/.exec(String(answer))?.[1] ?? "");
  }
  if (!target.includes("/stkpush.php")) return "";
  const { amount, phone, reference } = members(parsed(body));
  return [
    ...(typeof amount === "number" ? [`KES ${formatAmount(amount)}`] : []),
    ...(typeof reference === "string" && reference !== "" ? [`for ${reference}`] : []),
    ...(typeof phone === "string" ? [`from ${formatPhone(phone.replace(/^0/, "254"))}`] : []),
  ].join(" ");
}

export function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

export function parsed(text: string | null): unknown {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}
