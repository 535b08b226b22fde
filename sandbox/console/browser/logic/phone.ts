import { timeLeft } from "../../../../src/domain/duration.ts";
import { findResult } from "../../../../src/domain/outcome.ts";
import type { ClockReading, Status, Transaction } from "../wire.ts";
import { formatAmount } from "./format.ts";

/** A reading of the sandbox's clock, and the browser's monotonic time of the reading. */
export interface ClockAt extends Omit<ClockReading, "now"> {
  readonly takenAtMs: number;
}

/** The sandbox's time, from the last reading. A frozen clock shows the time of the reading. */
export function sandboxNowMs({ now_ms, frozen, takenAtMs }: ClockAt, monotonicMs: number): number {
  return frozen ? now_ms : now_ms + Math.max(0, monotonicMs - takenAtMs);
}

/** How long a prompt still waits for the customer, at most its whole time: `0:45` */
export function countdown(startMs: number, endMs: number, nowMs: number): string {
  return timeLeft(Math.min(Math.max(0, endMs - nowMs), Math.max(0, endMs - startMs)));
}

/** How a prompt ended, as its phone shows it for a while. */
export interface EndNote {
  readonly phone: string;
  readonly status: Status;
  readonly title: string;
  readonly text: string;
}

/** @param business the name of the merchant */
export function noteOf(
  { status, amount, result_code, result_desc }: Pick<Transaction, "status" | "amount" | "result_code" | "result_desc">,
  business: string,
): Pick<EndNote, "title" | "text"> {
  const sum = `KES ${formatAmount(amount)}`;
  switch (status) {
    case "completed":
      return { title: "Paid", text: `${sum} went to ${business}.` };
    case "cancelled":
      return { title: "Cancelled", text: `You did not pay ${business}.` };
    case "expired":
      return { title: "Too late", text: `The prompt from ${business} has expired. Nothing was paid.` };
    case "failed": {
      const note = result_code === null ? undefined : findResult(result_code)?.note;
      return { title: "Not paid", text: `${note ?? result_desc ?? "The payment failed."} Nothing was sent.` };
    }
    case "pending":
      return { title: "Waiting", text: `${business} asks for ${sum}.` };
  }
}
