import { describe, expect, test } from "bun:test";
import { receiptSms } from "../../../sandbox/network/sms.ts";
import type { AmountCents } from "../../../src/domain/money.ts";
import { paidAt } from "../../support/payments.ts";

/** An instant as a Nairobi clock shows it. */
const nairobi = (year: number, month: number, day: number, hour = 0, minute = 0, second = 0) =>
  Date.UTC(year, month - 1, day, hour - 3, minute, second);

function smsOf(changes: { cents?: number; reference?: string | null; atMs?: number; business?: string } = {}): string {
  const { cents = 120_000, reference = "REF", atMs = nairobi(2026, 10, 2, 18, 11), business = "SHOP" } = changes;
  const paid = { ...paidAt(atMs, "UJ22T8IYOU"), transactionCode: "CODE", completedAtMs: atMs };
  return receiptSms({ ...paid, amountCents: cents as AmountCents, reference }, business);
}

const endOf = (atMs: number) => smsOf({ atMs }).split(" on ")[1];

test("RECEIPT Confirmed. Ksh1,200.00 sent to BUSINESS for account REF on 2/10/26 at 6:11 PM", () => {
  expect(smsOf()).toBe("UJ22T8IYOU Confirmed. Ksh1,200.00 sent to SHOP for account REF on 2/10/26 at 6:11 PM");
});

test.each([null, ""])("without a reference no account is named: %p", (reference) => {
  expect(smsOf({ reference })).toBe("UJ22T8IYOU Confirmed. Ksh1,200.00 sent to SHOP on 2/10/26 at 6:11 PM");
});

describe("thousands separated, two decimals", () => {
  test.each([
    [100, "Ksh1.00"],
    [150, "Ksh1.50"],
    [105, "Ksh1.05"],
    [99_999, "Ksh999.99"],
    [100_000, "Ksh1,000.00"],
    [25_000_000, "Ksh250,000.00"],
    [123_456_789, "Ksh1,234,567.89"],
    [99_999_999_999, "Ksh999,999,999.99"],
  ])("%d cents: %s", (cents, text) => {
    expect(smsOf({ cents }).split(" ")[2]).toBe(text);
  });
});

describe("no leading zeros, two-digit year, in Nairobi", () => {
  test.each([
    [nairobi(2026, 1, 1, 9, 5), "1/1/26 at 9:05 AM"],
    [nairobi(2026, 12, 31, 9, 5), "31/12/26 at 9:05 AM"],
    [nairobi(2030, 2, 3, 9, 5), "3/2/30 at 9:05 AM"],
    [nairobi(2105, 2, 3, 9, 5), "3/2/05 at 9:05 AM"],
    [Date.UTC(2026, 11, 31, 21, 30), "1/1/27 at 12:30 AM"],
  ])("%d: %s", (atMs, text) => expect(endOf(atMs)).toBe(text));
});

describe("12-hour clock around midnight and noon", () => {
  test.each([
    [nairobi(2026, 11, 20, 0, 0), "12:00 AM"],
    [nairobi(2026, 11, 20, 0, 59, 59), "12:59 AM"],
    [nairobi(2026, 11, 20, 1, 0), "1:00 AM"],
    [nairobi(2026, 11, 20, 11, 59, 59), "11:59 AM"],
    [nairobi(2026, 11, 20, 12, 0), "12:00 PM"],
    [nairobi(2026, 11, 20, 12, 59), "12:59 PM"],
    [nairobi(2026, 11, 20, 13, 0), "1:00 PM"],
    [nairobi(2026, 11, 20, 23, 59, 59), "11:59 PM"],
  ])("%d: %s", (atMs, text) => expect(endOf(atMs)).toBe(`20/11/26 at ${text}`));
});
