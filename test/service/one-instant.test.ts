import { afterAll, beforeAll, expect, test } from "bun:test";
import type { TransactionFilter } from "../../src/domain/filter.ts";
import { KINDS, type Transaction } from "../../src/domain/transaction.ts";
import { pay } from "../support/caller.ts";
import { type Caller, type Harness, openHarness } from "../support/harness.ts";
import { naiveList } from "../support/naive-list.ts";

/** Payments of every kind that all start in the same millisecond and end in different ways. */
let harness: Harness;
let caller: Caller;
let all: Transaction[];
beforeAll(async () => {
  harness = openHarness();
  caller = await harness.addCaller("Shop");
  const outcomes = ["completed", "cancelled", "wrong_pin", "expired; after=3s", "manual"] as const;
  const pick = <T>(values: readonly T[], index: number) => values[index % values.length] as T;
  await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      pay(harness, caller, { kind: pick(KINDS, index * 7), instruction: pick(outcomes, index * 3) }),
    ),
  );
  await harness.advance(3000);
  all = await pagesOf({}, 100);
});
afterAll(() => harness.close());

/** All rows of a filter, page by page. */
async function pagesOf(filter: TransactionFilter, limit: number): Promise<Transaction[]> {
  const rows: Transaction[] = [];
  for (let number = 1; ; number += 1) {
    const page = await harness.service.listTransactions(caller.merchantId, filter, { number, limit });
    if (page.rows.length === 0) return rows;
    rows.push(...page.rows);
  }
}

const FILTERS: TransactionFilter[] = [
  {},
  { kind: "api" },
  { status: "completed" },
  { status: "pending" },
  { kind: "api", status: "cancelled" },
  { search: "0712" },
  { search: "0712", status: "failed" },
];

test.each(FILTERS)(
  "of one instant the payment with the highest number comes first, on every page: %j",
  async (filter) => {
    expect(all).toHaveLength(60);
    const rows = await pagesOf(filter, 7);
    expect(rows.length).toBeGreaterThan(0);
    expect(rows).toEqual(naiveList(all, caller.merchantId, filter));
  },
);
