import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TransactionFilter } from "../../src/domain/filter.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import { resolve } from "../../src/domain/state-machine.ts";
import { dayOf } from "../../src/domain/timestamp.ts";
import { KINDS, type Transaction } from "../../src/domain/transaction.ts";
import { type OpenDatabase, openDatabase } from "../../src/store/sqlite/database.ts";
import { createSearchThread } from "../../src/store/sqlite/search-thread.ts";
import { createTransactionList } from "../../src/store/sqlite/transaction-list.ts";
import { FEW_ROWS } from "../../src/store/sqlite/transaction-reader.ts";
import type { Store } from "../../src/store/store.ts";
import { naiveList, naiveSummary } from "../support/naive-list.ts";
import { CREATED_AT_MS, paidAt } from "../support/payments.ts";
import { rejectionOf } from "../support/rejection.ts";
import { insertPending, openStoreWithMerchants } from "../support/shop.ts";

/** Searches that find more than is read beside payments. `few` finds as much as is, `many` one row more. */

const DAY_MS = 86_400_000;
const folder = mkdtempSync(join(tmpdir(), "momo-test-"));
const file = join(folder, "momo.db");
let store: Store;
let database: OpenDatabase;
let all: Transaction[];
beforeAll(async () => {
  store = await openStoreWithMerchants(file, 2);
  const references = [
    ...Array.from({ length: FEW_ROWS }, (_, index) => `few ${index}`),
    ...Array.from({ length: FEW_ROWS + 1 }, (_, index) => `many ${index}`),
  ];
  const started = await Promise.all(
    references.map((reference, index) =>
      insertPending(store, {
        reference,
        kind: KINDS[index % 4] ?? "api",
        phone: `254${{ 0: 1, 5: 8 }[index % 10] ?? 7}${String(index).padStart(8, "0")}` as Msisdn,
        createdAtMs: CREATED_AT_MS + ((index * 7) % 5) * DAY_MS + (index % 100),
      }),
    ),
  );
  const paid = (index: number) => paidAt(CREATED_AT_MS + 1, `UKL${String(index).padStart(7, "0")}`);
  const failed = { status: "failed", resultCode: 1, resultDesc: "no", atMs: CREATED_AT_MS + 1 } as const;
  all = started.map((pending, index) =>
    index % 3 === 0 ? pending : resolve(pending, index % 3 === 1 ? paid(index) : failed, () => `CODE${index}`),
  );
  await store.transactions.record(all.filter(({ status }) => status !== "pending"));
  database = openDatabase(file);
});
afterAll(() => {
  database.close();
  store.close();
  rmSync(folder, { recursive: true });
});

const PAGE = { number: 1, limit: 100 };

/** Whether the list leaves it to the thread. */
async function isLeft(filter: TransactionFilter): Promise<boolean> {
  const thread = createSearchThread(file);
  let left = false;
  const list = createTransactionList(database.client, {
    read(...question) {
      left = true;
      return thread.read(...question);
    },
  });
  const answer = await list.list(1, filter, PAGE);
  const expected = naiveList(all, 1, filter);
  expect(answer).toEqual({ rows: expected.slice(0, PAGE.limit), summary: naiveSummary(expected) });
  return left;
}

describe("what takes long is read in a thread of its own, and the answer is the same", () => {
  const firstDay = dayOf(CREATED_AT_MS);
  test.each<[string, TransactionFilter, boolean]>([
    ["2,000 are found", { search: "few" }, false],
    ["2,001 are found", { search: "many" }, true],
    ["a kind and a status leave few of them", { search: "MANY", kind: "web", status: "completed" }, true],
    ["some are found by their receipts", { search: "ukl0000", status: "completed" }, false],
    ["of one day there are fewer", { search: "many", fromDay: firstDay, toDay: firstDay }, false],
    [
      "of three days there are more",
      { search: "many", fromDay: firstDay, toDay: (firstDay + 2) as typeof firstDay },
      true,
    ],
    ["everything is found, by the phone", { search: "254" }, false],
    ["most are found, by the phone, and others before and after", { search: "07" }, true],
    ["of them those of a status", { search: "+2547", status: "failed" }, true],
    ["of them those of a kind", { search: "2547", kind: "web" }, true],
    ["one in ten is found, by the phone", { search: "01" }, false],
    ["of few phones one was paid", { search: "0700", status: "completed" }, true],
    ["everything is found, by the request ids", { search: "WS_", status: "failed" }, false],
    ["nothing is found", { search: "none" }, false],
    ["an id is asked for too", { search: "many", id: 2500 }, false],
  ])("%s", async (_what, filter, expected) => {
    expect(await isLeft(filter)).toBe(expected);
  });

  test("a page that begins after more than 2,000 rows of its day", async () => {
    const oneDay = await openStoreWithMerchants(join(folder, "one-day.db"), 1);
    await Promise.all(Array.from({ length: FEW_ROWS + 2 }, () => insertPending(oneDay)));
    const oneDayDatabase = openDatabase(join(folder, "one-day.db"));
    const left: number[] = [];
    const list = createTransactionList(oneDayDatabase.client, {
      async read(_merchantId, _filter, { number }) {
        left.push(number);
        return { rows: [], summary: naiveSummary([]) };
      },
    });
    for (const filter of [{}, { status: "pending" } as const, { search: "254" }]) {
      for (const number of [1, FEW_ROWS + 1, FEW_ROWS + 2, FEW_ROWS + 3])
        await list.list(1, filter, { number, limit: 1 });
    }
    expect(left).toEqual([FEW_ROWS + 2, FEW_ROWS + 2, FEW_ROWS + 2]);
    oneDayDatabase.close();
    oneDay.close();
  });

  test.each<TransactionFilter>([{ search: "many" }, { search: "07" }, { search: "07", status: "pending" }])(
    "deep pages of %j too, from either end, and past it",
    async (filter) => {
      const expected = naiveList(all, 1, filter);
      const last = Math.ceil(expected.length / 10);
      for (const number of [2, last >> 1, (last >> 1) + 1, (last >> 1) + 2, last - 1, last, last + 1, 5000]) {
        const { rows, summary } = await store.transactionList.list(1, filter, { number, limit: 10 });
        expect(rows).toEqual(expected.slice((number - 1) * 10, number * 10));
        expect(summary).toEqual(naiveSummary(expected));
      }
    },
  );

  test("another merchant finds none of them", async () => {
    const { rows, summary } = await store.transactionList.list(2, { search: "many" }, PAGE);
    expect([rows, summary.totalItems]).toEqual([[], 0]);
  });
});

describe("the thread", () => {
  test("no payment waits for it", async () => {
    let isReading = true;
    const searches = Array.from({ length: 100 }, () => store.transactionList.list(1, { search: "many" }, PAGE));
    const read = Promise.all(searches).then(() => {
      isReading = false;
    });
    await insertPending(store, { merchantId: 2, paymentAccountId: 2 });
    expect(isReading).toBe(true);
    await read;
  });

  test("answers each of several questions with its own answer, also after it had nothing to do", async () => {
    const thread = createSearchThread(file);
    for (let round = 0; round < 3; round++) {
      const limits = [1, 2, 3, 4, 5];
      const pages = await Promise.all(limits.map((limit) => thread.read(1, { search: "many" }, { number: 1, limit })));
      expect(pages.map(({ rows }) => rows.length)).toEqual(limits);
    }
  });

  test("refuses what is under way when the store is closed, and what it cannot read", async () => {
    const thread = createSearchThread(file);
    const search = thread.read(1, { search: "many" }, PAGE);
    thread.close();
    expect(String(await rejectionOf(search))).toBe("Error: the store is closed");
    const missing = createSearchThread(join(folder, "missing.db"));
    expect(String(await rejectionOf(missing.read(1, { search: "many" }, PAGE)))).toContain("unable to open");
  });
});
