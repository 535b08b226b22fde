import { outcomesView } from "../../sandbox/network/outcomes.ts";
import { reasonOf } from "../../sandbox/network/reason.ts";
import { findResult } from "../../src/domain/outcome.ts";
import { formatTimestamp, parseInstant } from "../../src/domain/timestamp.ts";
import { STATUSES, type Status } from "../../src/domain/transaction.ts";
import { Failure } from "./failure.ts";
import { cellOf, type Output, type OutputOptions, type Piece, type Styled, styled } from "./output.ts";

/** Shows payments to people: every command uses the same sign, colour, amount and reason. */

type Payment = Readonly<Record<string, unknown>>;

const SIGNS: Readonly<Record<Status, string>> = {
  completed: "✓",
  pending: "•",
  failed: "✗",
  cancelled: "✗",
  expired: "✗",
};

const findStatus = (status: unknown): Status | undefined => STATUSES.find((candidate) => candidate === status);

/** @throws Failure for a status that the service cannot have */
export function statusOf({ status }: Payment): Status {
  const known = findStatus(status);
  if (!known) throw new Failure("unexpected", "the service answered without a status that it can have");
  return known;
}

export function statusPiece(status: unknown): Styled {
  const text = String(status);
  const known = findStatus(status);
  const style = text === "completed" ? "green" : text === "pending" ? "yellow" : "red";
  return styled(style, `${known ? SIGNS[known] : "?"} ${text}`);
}

/** Shillings with cents, such as `1,200.00`. */
export function amountText(amount: unknown): string {
  if (typeof amount !== "number") return cellOf(amount);
  return amount.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

/** Why a payment failed, such as `wrong PIN (2001)`; empty for other payments. */
export const reasonText = (payment: Payment): string => cellOf(reasonOf(payment, outcomesView()));

/**
 * A payment as it starts or ends: `#1 ✓ paid UKL001DAN1`, then the amount and the phone.
 * @param atMs the host's time, not the sandbox's
 */
export function paymentLine(payment: Payment, atMs: number): Piece[] {
  const { status } = payment;
  const { style, text } = statusPiece(status);
  const word = status === "completed" ? `paid ${cellOf(payment.momo_receipt_number)}` : reasonText(payment) || null;
  const happened = status === "pending" ? "• asks the customer" : word === null ? text : `${text[0]} ${word}`;
  return [
    styled("dim", formatTimestamp(atMs).slice(-"HH:MM:SS".length)),
    `  #${cellOf(payment.id)} `,
    styled(style, happened),
    styled("dim", `  KES ${amountText(payment.amount)}  ${cellOf(payment.phone)}`),
  ];
}

const MINUTE_MS = 60_000;
const UNITS = [
  ["d", 24 * 60 * MINUTE_MS],
  ["h", 60 * MINUTE_MS],
  ["m", MINUTE_MS],
  ["s", 1000],
] as const;

/** How long ago a time of the service was, such as `3m`; after a month, the day. */
export function ageText(timestamp: unknown, nowMs: number): string {
  const atMs = parseInstant(String(timestamp));
  if (atMs === null) return cellOf(timestamp);
  const sinceMs = nowMs - atMs;
  if (sinceMs > 30 * UNITS[0][1]) return String(timestamp).slice(0, 10);
  const [unit, unitMs] = UNITS.find(([, size]) => sinceMs >= size) ?? ["s", 1000];
  return sinceMs < 1000 ? "now" : `${Math.floor(sinceMs / unitMs)}${unit}`;
}

/** What a final payment means, the words of the network, and what a client should do. The console shows the same. */
function explanationOf({ result_code, result_desc }: Payment): (readonly [string, unknown])[] {
  const result = typeof result_code === "number" ? findResult(result_code) : null;
  if (result === null) return [];
  return [
    ["means", result.meaning],
    ["network says", `${cellOf(result_desc)} (${cellOf(result_code)})`],
    ["what to do", result.advice],
  ];
}

/** Members that repeat another line or tell a person nothing. */
const UNSHOWN = new Set(["success", "message", "status", "result_code", "result_desc"]);

/**
 * Prints what the service answered about one payment.
 * @param essential the member that `-q` prints
 */
export function printPayment(out: Output, answer: Payment, options: OutputOptions, essential: string): void {
  const value = essential === "status" ? statusOf(answer) : answer[essential];
  if (typeof value !== "string") throw new Failure("unexpected", `the service answered without a ${essential}`);
  const layout = () => {
    const { style, text } = statusPiece(answer.status);
    const reason = reasonText(answer);
    if (answer.status !== undefined) out.print(styled(style, text), reason && `: ${reason}`);
    out.printFields([
      ...explanationOf(answer),
      ...Object.entries(answer)
        .filter(([name, member]) => member !== null && !UNSHOWN.has(name))
        .map(
          ([name, member]) => [name.replaceAll("_", " "), /amount$/.test(name) ? amountText(member) : member] as const,
        ),
    ]);
  };
  out.printData(options, { json: answer, essential: [value], layout });
}
