import { afterEach, expect, test } from "bun:test";
import type { Msisdn } from "../../../src/domain/phone.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { describePostgres, openShop, runSql } from "../../support/postgres.ts";
import { cancelled, insertPending, paid } from "../../support/shop.ts";

afterEach(cleanUp);

const [FEW, MANY, OTHER] = ["254700000001", "254700000002", "254700000003"] as Msisdn[] as [Msisdn, Msisdn, Msisdn];

/** Stores copies of a payment, whose times follow it by 1 ms each. */
const copy = (url: string, id: number, copies: number) =>
  runSql(
    url,
    `INSERT INTO transactions SELECT (jsonb_populate_record(original, jsonb_build_object(
        'id', id + 100000 * n, 'receipt_number', null,
        'completed_at_ms', completed_at_ms + n, 'check_at_ms', check_at_ms + n, 'expires_at_ms', expires_at_ms + n
      ))).* FROM transactions AS original, generate_series(1, ${copies}) AS n WHERE id = ${id}`,
  );

describePostgres((version) => {
  test("of a phone with many payments only the newest 20,000 of all are searched; one with few is looked up", async () => {
    const { url, store } = await openShop(version);
    const { transactions } = store;
    const start = (phone: Msisdn) => insertPending(store, { phone });
    const [few, many, newer] = [await start(FEW), await start(MANY), await start(OTHER)];
    const [failed, last] = [await start(MANY), await start(MANY)];
    await transactions.record([paid(few), paid(many), paid(newer), cancelled(failed), cancelled(last)]);
    const placesOf = async (phone: Msisdn) => (await transactions.listPaid(9, phone)).map(({ id }) => id);
    await copy(url, failed.id, 997);
    expect(await placesOf(MANY)).toEqual([many.id]); // 1,000 are few
    await copy(url, last.id, 1);
    await copy(url, newer.id, 20_000);
    expect([await placesOf(FEW), await placesOf(MANY)]).toEqual([[few.id], []]);
    const newest = await start(MANY);
    await transactions.record([paid(newest, "NEWEST", newest.createdAtMs + 50_000)]);
    expect(await placesOf(MANY)).toEqual([newest.id]);
  });

  test("of a phone with many payments only the 20,000 prompts that are due next are listed, and all are counted", async () => {
    const { url, store } = await openShop(version);
    const { transactions } = store;
    const start = (phone: Msisdn) => insertPending(store, { phone });
    const [failed, next, late] = [await start(MANY), await start(OTHER), await start(MANY)];
    await transactions.record([cancelled(failed)]);
    await copy(url, failed.id, 999);
    await copy(url, next.id, 19_999);
    const idsOf = async (phone: Msisdn) => (await transactions.listPending(9, phone)).map(({ id }) => id);
    await runSql(url, `UPDATE transactions SET check_at_ms = expires_at_ms WHERE id = ${late.id}`);
    expect([await idsOf(MANY), await transactions.countPending(MANY)]).toEqual([[], 1]);
    await runSql(url, `UPDATE transactions SET check_at_ms = 1 WHERE id = ${late.id}`);
    expect([await idsOf(MANY), await transactions.countPending(MANY)]).toEqual([[late.id], 1]);
    expect(await transactions.countPending(OTHER)).toBe(20_000);
  });
});
