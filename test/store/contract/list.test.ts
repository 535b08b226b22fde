import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import type { TransactionFilter } from "../../../src/domain/filter.ts";
import { type Day, dayOf } from "../../../src/domain/timestamp.ts";
import { KINDS, STATUSES, type Transaction } from "../../../src/domain/transaction.ts";
import { fillStore, naiveList, naiveSummary, PHONES, REFERENCES } from "../../support/book.ts";
import { onEveryEngine, useOneShop } from "../../support/engines.ts";
import { CREATED_AT_MS } from "../../support/payments.ts";

const anyDay = fc.integer({ min: -1, max: 4 }).map((offset) => (dayOf(CREATED_AT_MS) + offset) as Day);

/** The start of a reference, a phone or an identifier, in any letter case. */
const anySearch = fc
  .tuple(
    fc.constantFrom(
      ...REFERENCES.filter((reference) => reference !== null && reference !== ""),
      ...PHONES.flatMap((phone) => [phone, `+${phone}`, ` ${phone}`, `0${phone.slice(3)}`, phone.slice(3)]),
      ...["ws_CO_", "UJ20000005", "UJ20000", "T00000000005", "234", "RDER", "b", "École", "strasse", "%0"],
    ),
    fc.integer({ min: 2, max: 30 }),
    fc.constantFrom(
      (text: string) => text,
      (text: string) => text.toLowerCase(),
      (text: string) => text.toUpperCase(),
    ),
  )
  .map(([text, length, cased]) => cased([...text].slice(0, length).join("")));

/** The compiler refuses a filter that is missing here. */
const MEMBERS: { [M in keyof TransactionFilter]-?: fc.Arbitrary<NonNullable<TransactionFilter[M]>> } = {
  kind: fc.constantFrom(...KINDS),
  status: fc.constantFrom(...STATUSES),
  fromDay: anyDay,
  toDay: anyDay,
  search: anySearch,
  id: fc.integer({ min: 0, max: 245 }),
};

/** Up to three members: more select almost nothing. */
const anyFilter = fc
  .tuple(fc.record(MEMBERS), fc.subarray(Object.keys(MEMBERS) as (keyof TransactionFilter)[], { maxLength: 3 }))
  .map(([members, names]): TransactionFilter => Object.fromEntries(names.map((name) => [name, members[name]])));

const anyPage = fc.record({
  number: fc.constantFrom(1, 1, 1, 1, 2, 1_000_000_000),
  limit: fc.oneof(fc.constant(1000), fc.integer({ min: 1, max: 100 })),
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

  test("by one member at a time: kinds, statuses, days, ids", async () => {
    expect((await countAsExpected(1, {})) + (await countAsExpected(2, {}))).toBe(240);
    expect(await countAsExpected(3, {})).toBe(0);
    for (const kind of KINDS) expect(await countAsExpected(1, { kind })).toBeGreaterThan(0);
    for (const status of STATUSES) expect(await countAsExpected(1, { status })).toBeGreaterThan(0);
    const day = dayOf(CREATED_AT_MS + 86_400_000);
    expect(await countAsExpected(1, { fromDay: day, toDay: day })).toBeGreaterThan(0);
    for (const { id } of all.slice(0, 10)) {
      expect((await countAsExpected(1, { id })) + (await countAsExpected(2, { id }))).toBe(1);
    }
  });

  test("by the start of a phone, of every length", async () => {
    for (const phone of ["254712345678", "0712345678", "254110000001", "0110000001"]) {
      for (let length = 1; length <= phone.length; length++) {
        expect(await countAsExpected(1, { search: phone.slice(0, length) })).toBeGreaterThan(0);
      }
    }
  });

  test("pages of any length join to the whole list", async () => {
    const whole = naiveList(all, 1, {});
    for (const limit of [1, 7, 100]) {
      for (let number = 1; number <= Math.ceil(whole.length / limit); number += limit === 1 ? 50 : 1) {
        expect(await countAsExpected(1, {}, { number, limit })).toBe(
          Math.min(limit, whole.length - (number - 1) * limit),
        );
      }
    }
  });
});
