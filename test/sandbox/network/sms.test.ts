import { expect, test } from "bun:test";
import { receiptSms } from "../../../sandbox/network/sms.ts";
import type { AmountCents } from "../../../src/domain/money.ts";
import { paidAt } from "../../support/payments.ts";

/** An instant by its time in Nairobi. */
const nairobi = (year: number, month: number, day: number, hour: number, minute: number, second = 0) =>
  Date.UTC(year, month - 1, day, hour - 3, minute, second);

const EVENING_MS = nairobi(2026, 10, 2, 18, 11);

function smsOf(cents = 120_000, reference: string | null = "REF", atMs = EVENING_MS): string {
  const paid = { ...paidAt(atMs, "UJ22T8IYOU"), transactionCode: "CODE", completedAtMs: atMs };
  return receiptSms({ ...paid, amountCents: cents as AmountCents, reference }, "SHOP");
}

test("RECEIPT Confirmed. Ksh1,200.00 sent to BUSINESS for account REF on 2/10/26 at 6:11 PM", () => {
  expect(smsOf()).toBe("UJ22T8IYOU Confirmed. Ksh1,200.00 sent to SHOP for account REF on 2/10/26 at 6:11 PM");
});

test.each([null, ""])("without a reference (%p) there is no account", (reference) => {
  expect(smsOf(100, reference)).toBe("UJ22T8IYOU Confirmed. Ksh1.00 sent to SHOP on 2/10/26 at 6:11 PM");
});

test.each([
  [100, "Ksh1.00"],
  [150, "Ksh1.50"],
  [105, "Ksh1.05"],
  [99_999, "Ksh999.99"],
  [25_000_000, "Ksh250,000.00"],
  [99_999_999_999, "Ksh999,999,999.99"],
])("%d cents are %s", (cents, text) => {
  expect(smsOf(cents).split(" ")[2]).toBe(text);
});

test.each([
  [nairobi(2026, 1, 1, 9, 5), "1/1/26 at 9:05 AM"],
  [nairobi(2105, 2, 3, 9, 5), "3/2/05 at 9:05 AM"],
  [Date.UTC(2026, 11, 31, 21, 30), "1/1/27 at 12:30 AM"],
  [nairobi(2026, 11, 20, 0, 59, 59), "20/11/26 at 12:59 AM"],
  [nairobi(2026, 11, 20, 1, 0), "20/11/26 at 1:00 AM"],
  [nairobi(2026, 11, 20, 11, 59, 59), "20/11/26 at 11:59 AM"],
  [nairobi(2026, 11, 20, 12, 0), "20/11/26 at 12:00 PM"],
  [nairobi(2026, 11, 20, 13, 0), "20/11/26 at 1:00 PM"],
  [nairobi(2026, 11, 20, 23, 59, 59), "20/11/26 at 11:59 PM"],
])("the instant %d is %s in Nairobi", (atMs, text) => {
  expect(smsOf(100, null, atMs)).toEndWith(` on ${text}`);
});
