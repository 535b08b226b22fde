import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { TransactionFilter } from "../../src/domain/filters.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import { resolve } from "../../src/domain/state-machine.ts";
import { dayOf } from "../../src/domain/timestamp.ts";
import { KINDS, type PendingTransaction, type Transaction } from "../../src/domain/transaction.ts";
import { MOST_LOOKED_UP } from "../../src/store/sqlite/list-reader.ts";
import { LongReads } from "../../src/store/sqlite/long-reads.ts";
import { openStore } from "../../src/store/sqlite/sqlite.ts";
import { MOST_ENTRIES } from "../../src/store/sqlite/stretches.ts";
import { recount } from "../../src/store/sqlite/totals.ts";
import type { Store } from "../../src/store/store.ts";
import { stopwatch } from "../../src/system.ts";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { CREATED_AT_MS, cancelled, insertPending, openStoreWithMerchants, paid } from "../support/shop.ts";
import { nextTurn, rejectionOf } from "../support/waiting.ts";
import { naiveList, naiveSummary } from "./book.ts";

/** Lists that skip, or find, more rows than are read at once. */

const ROWS = 10_000;
const DAY_MS = 86_400_000;
const PAGE = { number: 1, limit: 10 };
let file: string;
let store: Store;
let all: Transaction[];

/** The first payments, all of merchant 1, are of one day, and the others of the next five. */
const startedMs = (index: number) => (index >> 2) + Math.max(0, Math.floor((index - ROWS) / 500)) * DAY_MS;

/** As many references begin with `most` as a search looks up, and more with `mo`. */
function referenceOf(index: number): string | null {
  if (index >= ROWS) return null;
  return index < MOST_LOOKED_UP ? `most ${index}` : `more ${index}`;
}

beforeAll(async () => {
  file = join(newFolder(), "momo.db");
  store = await openStoreWithMerchants(file, 2);
  later(() => store.close());
  const started = await Promise.all(
    Array.from({ length: ROWS + 2500 }, (_, index) => {
      const merchantId = index >= ROWS && index % 5 > 0 ? 2 : 1;
      return insertPending(store, {
        merchantId,
        paymentAccountId: merchantId,
        reference: referenceOf(index),
        kind: KINDS[index % 4] ?? "api",
        phone: `254${index % 10 ? 7 : 1}${String(index).padStart(8, "0")}` as Msisdn,
        createdAtMs: CREATED_AT_MS + startedMs(index),
      });
    }),
  );
  all = started.map(endOf);
  await store.transactions.record(all.filter(({ status }) => status !== "pending"));
});
afterAll(cleanUp);

function endOf(pending: PendingTransaction, index: number): Transaction {
  const atMs = pending.createdAtMs + 1;
  if (index % 3 === 0) return pending;
  if (index % 3 === 1) return paid(pending, `R${index}`, atMs);
  // Few rows, of the first and of the last day.
  if (index < 300 || index >= ROWS + 2450) return cancelled(pending, atMs);
  return resolve(pending, { status: "failed", resultCode: 1, resultDesc: "no", atMs });
}

const [firstDay, lastDay] = [dayOf(CREATED_AT_MS), dayOf(CREATED_AT_MS + 4 * DAY_MS)];

const OF_EACH = {
  ...{ status: { status: "cancelled" }, type: { type: "web" }, id: { id: 77 }, search: { search: "most" } },
  findsEnds: { search: "7", findsEnds: true },
  ...{ date_from: { date_from: lastDay }, date_to: { date_to: firstDay } },
  dayOffsetMs: { date_from: firstDay, date_to: firstDay, dayOffsetMs: 0 },
} satisfies { readonly [Name in keyof Required<TransactionFilter>]: TransactionFilter };

test.each<TransactionFilter>([
  {},
  ...Object.values(OF_EACH),
  { status: "expired" },
  { type: "web", status: "pending" },
  { date_from: firstDay, date_to: firstDay },
  { date_to: lastDay, status: "failed" },
  { search: "MOST 1" },
  { search: "most", type: "web", status: "completed" },
  { search: "mo", status: "failed" },
  { search: "254" },
  { search: "+2547", status: "failed" },
  { search: "2541", date_to: firstDay },
])(
  "first, middle and last pages, and those that need several steps, have the rows that a sort of all rows puts there: %j",
  async (filter) => {
    for (const merchantId of [1, 2]) {
      const expected = naiveList(all, merchantId, filter);
      const last = Math.max(Math.ceil(expected.length / 10), 1);
      const pages = [...new Set([1, Math.ceil(last / 2), last, last + 1])].map((number) => [number, 10] as const);
      for (const [number, limit] of [...pages, [1, 2500] as const, [2, 2100] as const]) {
        const { rows, summary } = await store.transactionList.list(merchantId, filter, { number, limit });
        expect([number, ...rows]).toEqual([number, ...expected.slice((number - 1) * limit, number * limit)]);
        expect(summary).toEqual(naiveSummary(expected));
      }
    }
  },
);

test("the searches above find numbers of rows on both sides of each bound", () => {
  expect(naiveList(all, 1, { search: "most" })).toHaveLength(MOST_LOOKED_UP);
  expect(naiveList(all, 1, { search: "254" }).length).toBeGreaterThan(MOST_LOOKED_UP);
  expect(naiveList(all, 1, { search: "mo" }).length).toBeGreaterThan(MOST_LOOKED_UP);
});

test("long searches delay no payment and no other list", async () => {
  let isReading = true;
  const searches = ["254", "2547", "mo"].map((search) => store.transactionList.list(1, { search }, PAGE));
  const read = Promise.all(searches).then(() => {
    isReading = false;
  });
  const phone = "254100000000" as Msisdn;
  await insertPending(store, { merchantId: 2, paymentAccountId: 2, phone, createdAtMs: CREATED_AT_MS + 8 * DAY_MS });
  await store.transactionList.list(2, { status: "pending" }, PAGE);
  expect(isReading).toBe(true);
  await read;
});

test("while long searches wait, a search that finds few goes before them, one that finds thousands waits, and both are right", async () => {
  const order: string[] = [];
  const search = async (text: string) => {
    const { summary } = await store.transactionList.list(1, { search: text }, PAGE);
    order.push(text);
    expect(summary).toEqual(naiveSummary(naiveList(all, 1, { search: text })));
  };
  const searches = ["254", "mo", "most 99"].map(search);
  await Promise.all(searches);
  expect(order).toEqual(["most 99", "254", "mo"]);
});

test("a long search reads one point in time: a payment that starts during it is in neither its rows nor its counts", async () => {
  const filter = { search: "2547", status: "pending" } as const;
  const { summary: before } = await store.transactionList.list(1, filter, PAGE);
  const reading = store.transactionList.list(1, filter, PAGE);
  // Its first step runs before the commit of a payment that starts after it.
  await nextTurn();
  const late = await insertPending(store, {
    phone: "254799999999" as Msisdn,
    createdAtMs: CREATED_AT_MS + 9 * DAY_MS,
  });
  const { rows, summary } = await reading;
  expect(summary).toEqual(before);
  expect(rows).not.toContainEqual(late);
  const again = await store.transactionList.list(1, filter, PAGE);
  expect(again.rows[0]).toEqual(late);
  expect(again.summary.pendingCount).toBe(before.pendingCount + 1);
});

test("a search whose client has gone ends, running or waiting, and the next one is answered", async () => {
  const clients = [new AbortController(), new AbortController()];
  const left = clients.map(({ signal }) => rejectionOf(store.transactionList.list(1, { search: "254" }, PAGE, signal)));
  await nextTurn();
  expect((await store.vitals.measure()).longReads).toBe(2);
  for (const client of clients) client.abort();
  for (const error of await Promise.all(left)) expect(error).toMatchObject({ message: "the client has gone" });
  const { summary } = await store.transactionList.list(1, { search: "254" }, PAGE);
  expect(summary.totalItems).toBeGreaterThan(MOST_LOOKED_UP);
  expect((await store.vitals.measure()).longReads).toBe(0);
});

test("a close rejects long searches, also those that wait for their turn", async () => {
  const other = openStore(file);
  const searches = [1, 2, 3].map(() => other.transactionList.list(1, { search: "254" }, PAGE));
  await nextTurn();
  other.close();
  for (const search of searches) expect(String(await rejectionOf(search))).toBe("Error: the store was closed");
});

test("a long read opens the file of the store only: not another one that is in its place since", async () => {
  const places = ["first", "then"];
  const demanded = new LongReads(file, stopwatch, () => {
    const place = places.shift();
    if (place !== "first") throw new Error("another file");
  });
  expect(String(await rejectionOf(demanded.run(function* () {})))).toBe("Error: another file");
});

test("a long read that fails is rejected, and the next one runs", async () => {
  const longReads = new LongReads(file, stopwatch);
  const failed = longReads.run(function* () {
    yield;
    throw new Error("it fails");
  });
  const next = longReads.run(function* (client) {
    yield;
    return client.query("SELECT count(*) AS count FROM merchants").get();
  });
  expect(String(await rejectionOf(failed))).toBe("Error: it fails");
  expect(await next).toEqual({ count: 2 });
  longReads.close();
  const missing = new LongReads(`${file}.missing`, stopwatch);
  expect(String(await rejectionOf(missing.run(function* () {})))).toContain("unable to open");
});

describe("any number of payments can start in one millisecond", () => {
  /** Before them, in them and after them. The last ones are in a millisecond of their own. */
  const [BEFORE, TOGETHER, AFTER] = [1500, 2 * MOST_ENTRIES + 5000, 1500];
  const COUNT = BEFORE + TOGETHER + AFTER;
  let full: Store;
  beforeAll(async () => {
    const place = join(newFolder(), "momo.db");
    (await openStoreWithMerchants(place)).close();
    {
      using client = new Database(place);
      client.run(`INSERT INTO transactions (id, merchant_id, payment_account_id, kind, status, amount_cents, fee_cents, phone, secret,
          created_at_ms, expires_at_ms, result_code, memo)
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${COUNT})
        SELECT n, 1, 1, n % 2, iif(n % 1000 = 0, 3, 2), 100, 0, 254700000000 + n, '0123456789AB', at, at + 60000, 1, ''
        FROM (SELECT n, ${CREATED_AT_MS} + iif(n > ${BEFORE}, 1, 0) + iif(n > ${BEFORE + TOGETHER}, 1, 0) AS at FROM numbers)`);
      recount(client);
    }
    full = openStore(place);
  });
  afterAll(() => full.close());

  const statusOf = (id: number) => (id % 1000 === 0 ? "cancelled" : "failed");
  const ids = Array.from({ length: COUNT }, (_, index) => COUNT - index);

  test.each<[TransactionFilter, (id: number) => boolean]>([
    [{}, () => true],
    [{ status: "failed" }, (id) => statusOf(id) === "failed"],
    [{ status: "cancelled" }, (id) => statusOf(id) === "cancelled"],
    [{ status: "expired" }, () => false],
    [{ search: "25470000" }, (id) => id < 10_000],
    [{ search: "254700001", type: "web" }, (id) => id % 2 === 1 && id >= 1000 && id < 2000],
    [{ search: "07", status: "cancelled" }, (id) => statusOf(id) === "cancelled"],
  ])("each page has its rows: %j", async (filter, selects) => {
    const expected = ids.filter(selects);
    const last = Math.max(Math.ceil(expected.length / 100), 1);
    for (const number of new Set([1, 2, Math.ceil(last / 3), Math.ceil(last / 2), last - 1, last, last + 1])) {
      if (number < 1) continue;
      const { rows, summary } = await full.transactionList.list(1, filter, { number, limit: 100 });
      expect(summary.totalItems).toBe(expected.length);
      expect([number, ...rows.map(({ id }) => id)]).toEqual([
        number,
        ...expected.slice((number - 1) * 100, number * 100),
      ]);
    }
  });

  test("pages that are read in their order have their rows, also if payments start and end between two of them", async () => {
    let newestFirst: { id: number; status: string }[] = ids.map((id) => ({ id, status: statusOf(id) }));
    const pages = async (numbers: readonly number[]) => {
      for (const number of numbers) {
        for (const [filter, expected] of [
          [{}, newestFirst],
          [{ status: "failed" }, newestFirst.filter(({ status }) => status === "failed")],
        ] as const) {
          const { rows } = await full.transactionList.list(1, filter, { number, limit: 100 });
          expect([number, filter, ...rows.map(({ id }) => id)]).toEqual([
            number,
            filter,
            ...expected.slice((number - 1) * 100, number * 100).map(({ id }) => id),
          ]);
        }
      }
    };
    // The first of them are found by their day, the others by the place where the page before ended.
    await pages([9, 10, 11, 12, 13, 14, 15, 16, 17]);
    const late = await insertPending(full, { createdAtMs: CREATED_AT_MS + 10 });
    newestFirst = [{ id: late.id, status: "pending" }, ...newestFirst];
    await pages([18, 19, 19, 20]);
    await full.transactions.record([
      resolve(late, { status: "failed", resultCode: 1, resultDesc: "no", atMs: late.createdAtMs + 1 }),
    ]);
    newestFirst = newestFirst.map((one) => (one.id === late.id ? { id: late.id, status: "failed" } : one));
    await pages([21, 22, 20]);
  });
});

test("of a phone with more prompts only the 1,000 that are due next are listed, and all are counted", async () => {
  const place = join(newFolder(), "momo.db");
  (await openStoreWithMerchants(place)).close();
  {
    // The first one is due last.
    using client = new Database(place);
    client.run(`INSERT INTO transactions (id, merchant_id, payment_account_id, kind, status, amount_cents, fee_cents, phone, secret,
        created_at_ms, expires_at_ms, check_at_ms, memo)
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1001)
      SELECT n, 1, 1, 0, 0, 100, 0, 254700000001, '0123456789AB', n, 60000, 50000 - n, '' FROM numbers`);
  }
  const crowded = openStore(place);
  const phone = "254700000001" as Msisdn;
  const prompts = await crowded.transactions.listPending(2000, phone);
  expect(prompts.map(({ id }) => id)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 2));
  expect(await crowded.transactions.countPending(phone)).toBe(1001);
  crowded.close();
});
