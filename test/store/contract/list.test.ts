import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { TransactionFilter } from "../../../src/domain/filters.ts";
import { receiptNumber, transactionCode } from "../../../src/domain/identifiers.ts";
import type { Msisdn } from "../../../src/domain/phone.ts";
import { type Day, dayOf, endOfDayMs, startOfDayMs } from "../../../src/domain/timestamp.ts";
import { KINDS, STATUSES, type Transaction } from "../../../src/domain/transaction.ts";
import { onEveryEngine, useOneShop } from "../../support/engines.ts";
import { CREATED_AT_MS, insertPending, paid } from "../../support/shop.ts";
import { fillStore, naiveList, naiveSummary, PHONES, REFERENCES } from "../book.ts";

const anyDay = fc.integer({ min: -1, max: 4 }).map((offset) => (dayOf(CREATED_AT_MS) + offset) as Day);

/** The start of a reference, a phone or an identifier, in any letter case. */
const anySearch = fc
  .tuple(
    fc.constantFrom(
      ...REFERENCES.filter((reference) => reference !== null && reference !== ""),
      ...PHONES.flatMap((phone) => [phone, `+${phone}`, ` ${phone}`, `0${phone.slice(3)}`, phone.slice(3)]),
      ...["ws_CO_", "UJ20000005", "T00000000005", "234", "RDER", "b", "École", "strasse", "%0", "10", "du soir"],
    ),
    fc.integer({ min: 2, max: 30 }),
    fc.constantFrom("toString", "toLowerCase", "toUpperCase"),
  )
  .map(([text, length, inCase]) => [...text].slice(0, length).join("")[inCase]());

/** Values that rows have, so that bounds are tested at their edge. The compiler refuses a filter that is missing here. */
const MEMBERS: { [M in keyof TransactionFilter]-?: fc.Arbitrary<NonNullable<TransactionFilter[M]>> } = {
  type: fc.constantFrom(...KINDS),
  status: fc.constantFrom(...STATUSES),
  date_from: anyDay,
  date_to: anyDay,
  search: anySearch,
  findsEnds: fc.boolean(),
  dayOffsetMs: fc.constant(0),
  id: fc.integer({ min: 0, max: 245 }),
};

/** Up to three members: more select almost nothing. */
const anyFilter = fc
  .tuple(fc.record(MEMBERS), fc.subarray(Object.keys(MEMBERS) as (keyof TransactionFilter)[], { maxLength: 3 }))
  .map(([members, names]): TransactionFilter => Object.fromEntries(names.map((name) => [name, members[name]])));

const anyPage = fc.record({
  number: fc.oneof(fc.constant(1), fc.constant(1), fc.integer({ min: 2, max: 12 }), fc.constant(1_000_000_000)),
  limit: fc.oneof(fc.constant(1000), fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 9 })),
});

onEveryEngine((engine) => {
  const shop = useOneShop(engine, 2);
  let all: Transaction[];
  beforeAll(async () => {
    all = await fillStore(shop.store, 240);
  });

  async function countAsExpected(merchantId: number, filter: TransactionFilter, page = { number: 1, limit: 1000 }) {
    const expected = naiveList(all, merchantId, filter);
    const { rows, summary } = await shop.store.transactionList.list(merchantId, filter, page);
    expect(rows).toEqual(expected.slice((page.number - 1) * page.limit, page.number * page.limit));
    expect(summary).toEqual(naiveSummary(expected));
    return rows.length;
  }

  test("a page and its summary are what a plain filter and sort of all rows give, for any mix of filters", async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(1, 2), anyFilter, anyPage, async (merchantId, filter, page) => {
        found += await countAsExpected(merchantId, filter, page);
      }),
      { numRuns: Math.ceil(500 / engine.cost) },
    );
    expect(found).toBeGreaterThan(0);
  });

  test("all parts together are the whole list, for any mix of filters", async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(1, 2), anyFilter, async (merchantId, filter) => {
        const rows = (await Array.fromAsync(shop.store.transactionList.readAll(merchantId, filter))).flat();
        expect(rows).toEqual(naiveList(all, merchantId, filter));
        found += rows.length;
      }),
      { numRuns: Math.ceil(200 / engine.cost) },
    );
    expect(found).toBeGreaterThan(0);
  });
});

onEveryEngine((engine) => {
  const shop = useOneShop(engine, 1);

  test("all parts are of the time of the first, whatever is written meanwhile, and no part is large", async () => {
    const { transactions, transactionList } = shop.store;
    const inserted = await Promise.all(Array.from({ length: 1200 }, () => insertPending(shop.store)));
    const parts = transactionList.readAll(1, { status: "pending" });
    const read: Transaction[] = (await parts.next()).value ?? [];
    await insertPending(shop.store);
    await transactions.record(inserted.slice(0, 600).map((pending) => paid(pending)));
    for await (const part of parts) {
      expect(part.length).toBeLessThanOrEqual(500);
      read.push(...part);
    }
    expect(read.map(({ id }) => id)).toEqual(inserted.map(({ id }) => id).sort((a, b) => b - a));
    const now = await Array.fromAsync(transactionList.readAll(1, { status: "pending" }));
    expect(now.flat()).toHaveLength(601);
  });

  test("reading can end before the last part, and another one begins", async () => {
    for (let time = 0; time < 12; time += 1) {
      for await (const part of shop.store.transactionList.readAll(1, {})) if (part.length > 0) break;
    }
    const { rows } = await shop.store.transactionList.list(1, {}, { number: 1, limit: 1 });
    expect(rows).toHaveLength(1);
  });
});

onEveryEngine((engine) => {
  const shop = useOneShop(engine, 1);

  test("a day has its first and its last millisecond, however its payments are looked for", async () => {
    const day = dayOf(CREATED_AT_MS);
    const [before, after] = [day - 1, day + 1] as Day[];
    const ids = async (filter: TransactionFilter) => {
      const { rows } = await shop.store.transactionList.list(1, filter, { number: 1, limit: 10 });
      return rows.map(({ id }) => id);
    };
    for (const createdAtMs of [startOfDayMs(day), endOfDayMs(day) - 1]) {
      const { id, checkoutRequestId } = await insertPending(shop.store, { createdAtMs, reference: "Edge" });
      for (const one of [{}, { id }, { search: checkoutRequestId }, { search: "edge" }]) {
        expect(await ids({ ...one, date_from: day, date_to: day }), JSON.stringify(one)).toContain(id);
        expect(await ids({ ...one, date_from: after }), JSON.stringify(one)).not.toContain(id);
        expect(await ids({ ...one, date_to: before }), JSON.stringify(one)).not.toContain(id);
      }
    }
  });
});

/** A search, references that it finds, and references that it does not find. */
const STARTS: [search: string, hits: string[], misses: string[]][] = [
  ["order-1", ["Order-1", "ORDER-10"], ["my order-1", "order 1"]],
  ["É", ["école", "ÉCOLE", "é"], ["ecole", "le É"]],
  ["éc", ["école", "ÉCOLE"], ["é"]],
  ["οδος", ["ΟΔΟΣ 5", "οδοσ"], ["οδο"]],
  ["STRASSE", ["straße"], ["strase"]],
  ["😀", ["😀 yes"], ["😁 no"]],
  ["%", ["%off"], ["off", "x%"]],
  ["100%", ["100% off"], ["1000", "100"]],
  ["_", ["_a"], ["ab"]],
  ["a_c", ["a_c"], ["abc"]],
  ["a\\", ["a\\b"], ["ab", "a"]],
  ["[a-z]", ["[a-z]x"], ["b"]],
  ["*", ["*"], ["anything"]],
  ["' OR 1=1 --", ["' OR 1=1 --"], ["x"]],
  ["a b", ["a b c"], ["ab", "a  b"]],
  ["a\0", ["a\0b"], ["a", "a\u0001b", "ab"]],
  ["a\u0001", ["a\u0001b"], ["a", "a\0b", "a\u0002"]],
  // The last character of Unicode.
  ["z", ["z\u{10FFFF}", "z\u{10FFFF}b"], ["b"]],
];

onEveryEngine((engine) => {
  const shop = useOneShop(engine, 3);
  const list = (merchantId: number, search: string, findsEnds = false) =>
    shop.store.transactionList.list(merchantId, { search, findsEnds }, { number: 1, limit: 100 });
  const count = async (...search: Parameters<typeof list>) => (await list(...search)).summary.totalItems;

  describe("a search finds the start of a reference, in any letter case", () => {
    const references = new Set(STARTS.flatMap(([, hits, misses]) => [...hits, ...misses]));
    beforeAll(() => Promise.all([...references].map((reference) => insertPending(shop.store, { reference }))));

    test.each(STARTS)("%p finds %p and not %p", async (search, hits) => {
      const { rows } = await list(1, search);
      expect(rows.map(({ reference }) => reference as string).sort()).toEqual(hits.toSorted());
    });
  });

  describe("a search finds the start of a phone, typed as 07…, 254…, +254… or 7…", () => {
    beforeAll(async () => {
      for (const phone of ["254712345678", "254110000001"] as Msisdn[])
        await insertPending(shop.store, { merchantId: 2, paymentAccountId: 2, phone });
    });

    test.each([
      [1, ["0712345678", "254712345678", "+254712345678", " 254712345678", "712345678"]],
      [1, ["07", "7", "2547", "+2547", "071"]],
      [2, ["0", "2", "254", "+254", " 2"]],
      [0, ["12345678", "345", "678", "07123456789", "0712 345", "+0712", "+712", "0812", "255", "٠٧١٢"]],
      [0, ["07a", "07-12", "07\n", "++254", "+255", " ", "%"]],
    ])("%p payments: %p", async (expected, searches) => {
      for (const search of searches) expect([search, await count(2, search)]).toEqual([search, expected]);
    });
  });

  test("code, receipt number and request ids are found as a whole, in any letter case, by their merchant", async () => {
    const ofThird = { merchantId: 3, paymentAccountId: 3 };
    const [chosen, derived] = [await insertPending(shop.store, ofThird), await insertPending(shop.store, ofThird)];
    const atMs = CREATED_AT_MS + 1;
    const receipts = ["UJ22T8IYOU", receiptNumber(atMs, derived.id)] as const;
    const codes = [transactionCode(chosen.id), transactionCode(derived.id)];
    for (const search of [...receipts, ...codes]) expect([search, await count(3, search)]).toEqual([search, 0]);
    await shop.store.transactions.record([paid(chosen, receipts[0], atMs), paid(derived, receipts[1], atMs)]);
    const requestIds = [chosen, derived].flatMap((one) => [one.checkoutRequestId, one.merchantRequestId]);
    for (const search of [...receipts, ...codes, ...requestIds]) {
      expect([search, await count(3, search), await count(3, search.toLowerCase())]).toEqual([search, 1, 1]);
      expect([search, await count(2, search)]).toEqual([search, 0]);
      for (const other of [search.slice(0, -1), search.slice(1), `${search}0`, ` ${search}`]) {
        expect([other, await count(3, other)]).toEqual([other, 0]);
      }
    }
    // The same number with another day is another receipt.
    expect(await count(3, receiptNumber(atMs + 86_400_000, derived.id))).toBe(0);
    expect(await count(3, receiptNumber(atMs, chosen.id))).toBe(0);
  });

  test("a search that also finds ends finds that of a reference after a separator, and no end within a word", async () => {
    await insertPending(shop.store, { merchantId: 3, paymentAccountId: 3, reference: "INV/2026-AB7" });
    expect([await count(3, "ab7", true), await count(3, "ab7"), await count(3, "b7", true)]).toEqual([1, 0, 0]);
  });

  test.each(["a\0-AB8", "-AB9\0", "\0\0-\0é\u0001"])("also where a NUL is in it: %j", async (reference) => {
    await insertPending(shop.store, { merchantId: 3, paymentAccountId: 3, reference });
    const end = reference.slice(reference.indexOf("-") + 1);
    expect([await count(3, end, true), await count(3, end.slice(0, -1), true)]).toEqual([1, 0]);
  });

  test("a row that several of its texts match is counted once", async () => {
    const ofThird = { merchantId: 3, paymentAccountId: 3 };
    const { checkoutRequestId } = await insertPending(shop.store, ofThird);
    await insertPending(shop.store, { ...ofThird, reference: checkoutRequestId });
    expect(await count(3, checkoutRequestId)).toBe(2);
    const before = await count(3, "0712");
    await insertPending(shop.store, { ...ofThird, reference: "0712" });
    expect(await count(3, "0712")).toBe(before + 1);
  });
});
