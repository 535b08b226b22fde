import { beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { TransactionFilter } from "../../../src/domain/filter.ts";
import { type Day, dayOf } from "../../../src/domain/timestamp.ts";
import { KINDS, STATUSES, type Transaction } from "../../../src/domain/transaction.ts";
import { fillStore, PHONES, REFERENCES } from "../../support/book.ts";
import { onEveryEngine, useOneShop } from "../../support/engines.ts";
import { naiveList, naiveSummary } from "../../support/naive-list.ts";
import { CREATED_AT_MS } from "../../support/payments.ts";

const ALL = { number: 1, limit: 1000 };
const merchants = fc.constantFrom(1, 2);
const anyDay = fc.integer({ min: -1, max: 4 }).map((offset) => (dayOf(CREATED_AT_MS) + offset) as Day);
const typed = fc
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

const MEMBERS: { [M in keyof TransactionFilter]-?: fc.Arbitrary<NonNullable<TransactionFilter[M]>> } = {
  kind: fc.constantFrom(...KINDS),
  status: fc.constantFrom(...STATUSES),
  fromDay: anyDay,
  toDay: anyDay,
  search: typed,
  id: fc.integer({ min: 0, max: 245 }),
};
const names = Object.keys(MEMBERS) as (keyof TransactionFilter)[];
const pairs = names.flatMap((first, index) => names.slice(index).map((second) => [first, second] as const));

onEveryEngine((engine) => {
  const shop = useOneShop(engine, 2);
  let all: Transaction[];
  beforeAll(async () => {
    await shop.open();
    all = await fillStore(shop.store, 240);
  });
  const some = (runs: number) => Math.ceil(runs / engine.cost);

  async function expectNaive(merchantId: number, filter: TransactionFilter): Promise<number> {
    const expected = naiveList(all, merchantId, filter);
    const { rows, summary } = await shop.store.transactionList.list(merchantId, filter, ALL);
    expect(rows).toEqual(expected);
    expect(summary).toEqual(naiveSummary(expected));
    return rows.length;
  }

  describe("rows and summary are what a plain filter over all rows selects", () => {
    test("without a filter", async () => {
      expect((await expectNaive(1, {})) + (await expectNaive(2, {}))).toBe(240);
      expect(await expectNaive(3, {})).toBe(0);
    });

    test.each(pairs)("by %s and %s", async (first, second) => {
      let found = 0;
      const filters = fc.record({ [first]: MEMBERS[first], [second]: MEMBERS[second] });
      await fc.assert(
        fc.asyncProperty(merchants, filters, async (merchantId, filter) => {
          found += await expectNaive(merchantId, filter);
        }),
        { numRuns: some(25) },
      );
      // The pairs with an id select one row at most, and often none; so do few draws.
      if (engine.cost === 1 && first !== "id" && second !== "id") expect(found).toBeGreaterThan(0);
    });

    test("by any mix of filters", async () => {
      await fc.assert(
        fc.asyncProperty(merchants, fc.record(MEMBERS, { requiredKeys: [] }), async (merchantId, filter) => {
          await expectNaive(merchantId, filter);
        }),
        { numRuns: some(150) },
      );
    });

    test.each(PHONES)("by the start of %s, of every length, in one status and in all", async (phone) => {
      for (const typed of [phone, `0${phone.slice(3)}`]) {
        for (let length = 1; length <= typed.length; length++) {
          const search = typed.slice(0, length);
          expect(await expectNaive(1, { search })).toBeGreaterThan(0);
          for (const status of some(STATUSES.length) === 1 ? ["completed" as const] : STATUSES)
            await expectNaive(2, { search, status });
        }
      }
    });

    test("by every id", async () => {
      for (const { id } of all.slice(0, 30)) {
        expect((await expectNaive(1, { id })) + (await expectNaive(2, { id }))).toBe(1);
      }
    });
  });

  describe("pages", () => {
    test("newest first; of one instant the one that came last first", async () => {
      const { rows } = await shop.store.transactionList.list(1, {}, ALL);
      const order = rows.map(({ createdAtMs, id }) => [createdAtMs, id] as const);
      for (const [index, [atMs, id]] of order.slice(1).entries()) {
        const [previousMs, previousId] = order[index] ?? [0, 0];
        expect(previousMs > atMs || (previousMs === atMs && previousId > id)).toBe(true);
      }
      expect(new Set(order.map(([atMs]) => atMs)).size).toBeLessThan(order.length);
    });

    test("join to the whole list, whatever the limit and the filter, and every page has the same summary", async () => {
      const filters = fc.record(
        { kind: MEMBERS.kind, status: MEMBERS.status, fromDay: anyDay, search: typed },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(filters, fc.integer({ min: 1, max: 100 }), async (filter, limit) => {
          const whole = await shop.store.transactionList.list(1, filter, ALL);
          const joined: Transaction[] = [];
          const pages = Math.ceil(whole.rows.length / limit);
          for (let number = 1; number <= pages; number++) {
            const page = await shop.store.transactionList.list(1, filter, { number, limit });
            expect(page.rows.length).toBe(number < pages ? limit : whole.rows.length - (pages - 1) * limit);
            expect(page.summary).toEqual(whole.summary);
            joined.push(...page.rows);
          }
          expect(joined).toEqual(whole.rows);
        }),
        { numRuns: some(30) },
      );
    });

    test("past the end there are no rows, and the counts stay", async () => {
      const whole = await shop.store.transactionList.list(1, {}, ALL);
      for (const number of [3, 1_000_000_000]) {
        const past = await shop.store.transactionList.list(1, {}, { number, limit: 206 });
        expect(past).toEqual({ rows: [], summary: whole.summary });
      }
    });
  });
});
