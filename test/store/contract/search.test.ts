import { beforeEach, describe, expect, test } from "bun:test";
import { receiptNumber, transactionCode } from "../../../src/domain/identifiers.ts";
import type { Msisdn } from "../../../src/domain/phone.ts";
import { resolve } from "../../../src/domain/state-machine.ts";
import { onEveryEngine, useShop } from "../../support/engines.ts";
import { CREATED_AT_MS, paidAt } from "../../support/payments.ts";
import { insertPending } from "../../support/shop.ts";

onEveryEngine((engine) => {
  const shop = useShop(engine, 2);

  /** The references that a search finds among these. */
  async function found(search: string, references: readonly string[]): Promise<string[]> {
    await Promise.all(references.map((reference) => insertPending(shop.store, { reference })));
    const { rows } = await shop.store.transactionList.list(1, { search }, { number: 1, limit: 100 });
    return rows.map(({ reference }) => reference ?? "").sort();
  }
  const count = async (search: string, merchantId = 1) =>
    (await shop.store.transactionList.list(merchantId, { search }, { number: 1, limit: 100 })).summary.totalItems;

  describe("search is the start of a reference, in any letter case", () => {
    test.each([
      ["order-1", ["Order-1", "ORDER-10"], ["my order-1", "order 1"]],
      ["É", ["école", "ÉCOLE"], ["ecole", "le É"]],
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
    ])("%p finds %p and not %p", async (search, hits, misses) => {
      expect(await found(search, [...hits, ...misses])).toEqual([...hits].sort());
    });

    test("a reference that goes on with the very last character of Unicode is found too", async () => {
      expect(await found("a", ["a\u{10FFFF}", "a\u{10FFFF}b", "b"])).toEqual(["a\u{10FFFF}", "a\u{10FFFF}b"]);
    });

    test("transaction code, receipt number, checkout and merchant request id are found whole, in any letter case", async () => {
      const [chosen, derived] = [await insertPending(shop.store), await insertPending(shop.store)];
      const atMs = CREATED_AT_MS + 1;
      const receipts = ["UJ22T8IYOU", receiptNumber(atMs, derived.id)] as const;
      const codes = [transactionCode(chosen.id), transactionCode(derived.id)];
      for (const search of [...receipts, ...codes]) expect([search, await count(search)]).toEqual([search, 0]);
      await shop.store.transactions.record([
        resolve(chosen, paidAt(atMs, receipts[0])),
        resolve(derived, paidAt(atMs, receipts[1])),
      ]);
      const requestIds = [chosen, derived].flatMap((one) => [one.checkoutRequestId, one.merchantRequestId]);
      for (const search of [...receipts, ...codes, ...requestIds]) {
        expect([search, await count(search), await count(search.toLowerCase())]).toEqual([search, 1, 1]);
        const others = [search.slice(0, -1), search.slice(1), `${search}0`, ` ${search}`];
        for (const other of others) expect([other, await count(other)]).toEqual([other, 0]);
      }
      // The same number in another form is another identifier.
      expect(await count(receiptNumber(atMs + 86_400_000, derived.id))).toBe(0);
      expect(await count(receiptNumber(atMs, chosen.id))).toBe(0);
    });
  });

  describe("a phone is found typed as 07…, 254…, +254… or 7…", () => {
    beforeEach(async () => {
      await insertPending(shop.store, { phone: "254712345678" as Msisdn });
      await insertPending(shop.store, { phone: "254110000001" as Msisdn });
    });

    test.each([
      "0712345678",
      "254712345678",
      "+254712345678",
      " 254712345678",
      "712345678",
      "07",
      "7",
      "2547",
      "+2547",
      "071",
    ])("%p", async (search) => {
      const { rows } = await shop.store.transactionList.list(1, { search }, { number: 1, limit: 10 });
      expect(rows.map(({ phone }) => phone as string)).toEqual(["254712345678"]);
    });

    test.each(["0", "2", "254", "+254", " 2"])("%p is the start of every number", async (search) => {
      expect(await count(search)).toBe(2);
    });

    test.each(["12345678", "345", "678", "07123456789", "0712 345", "+0712", "+712", "0812", "255", "٠٧١٢"])(
      "%p is the start of none of them",
      async (search) => {
        expect(await count(search)).toBe(0);
      },
    );
  });

  test("another merchant's rows are never found", async () => {
    const theirs = await insertPending(shop.store, { merchantId: 2, paymentAccountId: 2, reference: "Order-1" });
    for (const search of ["order", "07", theirs.checkoutRequestId, theirs.merchantRequestId]) {
      expect([search, await count(search, 1), await count(search, 2)]).toEqual([search, 0, 1]);
    }
  });

  test("a row that several of its texts answer for is one row", async () => {
    await insertPending(shop.store, { reference: "0712" });
    expect(await count("0712")).toBe(1);
    const { checkoutRequestId } = await insertPending(shop.store);
    await insertPending(shop.store, { reference: checkoutRequestId });
    expect(await count(checkoutRequestId)).toBe(2);
  });
});
