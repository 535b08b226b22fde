import { beforeAll, describe, expect, spyOn, test } from "bun:test";
import { KINDS, STATUSES } from "../../src/domain/transaction.ts";
import { forAllTests } from "../support/cleanup.ts";
import { onEveryEngine } from "../support/engines.ts";
import { expectSoundAnswer, openScene } from "../support/scene.ts";
import { orderTo } from "../support/shop.ts";

/** Bad queries are in refusals.txt. The contract of the store tests every mix of filters. */

const pageOf = (current_page: number, per_page: number) => ({
  transactions: [],
  pagination: { current_page, per_page, total_items: 0, total_pages: 0 },
});
const applied = (filters_applied: object): Record<string, unknown> => ({ filters_applied });

const ACCEPTED: [query: string, members: Record<string, unknown>][] = [
  ["", { ...pageOf(1, 10), ...applied({}) }],
  ["page=9007199254740991&limit=100", pageOf(Number.MAX_SAFE_INTEGER, 100)],
  ...KINDS.map((type): [string, Record<string, unknown>] => [`type=${type}`, applied({ type })]),
  ...STATUSES.map((status): [string, Record<string, unknown>] => [
    `status=${status.toUpperCase()}`,
    applied({ status }),
  ]),
  ["type=Wallet_Deposit", applied({ type: "wallet_deposit" })],
  ["%74ype=%61pi", applied({ type: "api" })],
  ["date_from=0001-01-01&date_to=9999-12-31", applied({ date_from: "0001-01-01", date_to: "9999-12-31" })],
  ["date_to=2024-02-29&date_from=2024-02-29", applied({ date_from: "2024-02-29", date_to: "2024-02-29" })],
  [`search=${"a".repeat(100)}`, applied({ search: "a".repeat(100) })],
  [`search=${encodeURIComponent("😀".repeat(100))}`, applied({ search: "😀".repeat(100) })],
  ["search=%00", applied({ search: "\0" })],
  ["search=%F4%8F%BF%BF", applied({ search: "\u{10FFFF}" })],
  ["LIMIT=0&foo=1&foo=2&__proto__=1&constructor=2&&=", pageOf(1, 10)],
];

onEveryEngine((engine) => {
  const scene = forAllTests(() => openScene({}, engine));

  test.each<[query: string, members: object | null]>([
    ...ACCEPTED,
    ["id=1", null],
    ["id=-1", null],
    [`id=${"9".repeat(30)}`, null],
  ])("GET /transactions.php?%.60s", async (query, members) => {
    const answer = await scene.send({ path: `/transactions.php?${query}` });
    expect(answer.status, answer.text).toBe(members === null ? 404 : 200);
    expectSoundAnswer(answer);
    expect(answer.body).toMatchObject(members ?? {});
  });
});

interface List {
  readonly transactions: readonly Record<string, unknown>[];
  readonly summary: object;
  readonly pagination: object;
  readonly filters_applied: object;
}

/** The query, the ids on the page, the number of items, and the summary. */
type Row = [
  query: string,
  ids: number[],
  items: number,
  paid: number,
  completed: number,
  pending: number,
  failed: number,
];

const LISTS: Row[] = [
  ["", [9, 8, 7, 6, 5, 4, 3, 2, 1], 9, 30.3, 2, 4, 1],
  ["limit=4&page=2", [5, 4, 3, 2], 9, 30.3, 2, 4, 1],
  ["limit=4&page=4", [], 9, 30.3, 2, 4, 1],
  ["status=completed&limit=1", [4], 2, 30.3, 2, 0, 0],
  ["type=api&status=pending", [6], 1, 0, 0, 1, 0],
  ["search=0700&status=failed", [2], 1, 0, 0, 0, 1],
  ["date_to=2026-11-20", [5, 4, 3, 2, 1], 5, 30.3, 2, 0, 1],
  ["date_from=2026-11-21&date_to=2026-11-21", [9, 8, 7, 6], 4, 0, 0, 4, 0],
  ["search=%2B25471", [9, 8, 7, 6], 4, 0, 0, 4, 0],
  // A plus that is not escaped arrives as a space.
  ["search=+25471", [9, 8, 7, 6], 4, 0, 0, 4, 0],
  ["search=ORDER-", [1], 1, 10.1, 1, 0, 0],
  ["id=1&page=2", [], 1, 10.1, 1, 0, 0],
];

onEveryEngine((engine) => {
  /** The last second of 20 November in Nairobi. */
  const startMs = Date.UTC(2026, 10, 20, 20, 59, 59);
  const scene = forAllTests(() => openScene({ startMs }, engine));

  beforeAll(async () => {
    const { caller, service } = scene;
    await scene.start({ phone: "254700000000", amount: 10.1, reference: "Order-1" });
    for (const phone of ["254700000001", "254700000032"]) await scene.start({ phone });
    await scene.start({ phone: "254700000000", amount: 20.2 });
    await scene.start({ phone: "254700000019" });
    await scene.advance(1000);
    for (const kind of KINDS) {
      const order = orderTo(caller.accountId, { kind, instruction: "manual" });
      await service.startPayment(caller.merchantId, order);
    }
    await scene.start({ payment_account_id: scene.other.accountId }, { as: "other" });
    await scene.advance(59_000);
  });

  async function list(query: string, as: "caller" | "other" = "caller"): Promise<List> {
    const { status, body } = await scene.send({ path: `/transactions.php?${query}`, as });
    expect(status, String(body.message)).toBe(200);
    return body as unknown as List;
  }
  const idsOf = ({ transactions }: List) => transactions.map(({ id }) => id);

  describe("the list is newest first, with a summary over all pages", () => {
    test.each(LISTS)("?%s", async (query, ids, total_items, total_completed_amount, ...counts) => {
      const answer = await list(query);
      const [completed_count, pending_count, failed_count] = counts;
      expect(idsOf(answer)).toEqual(ids);
      expect(answer.summary).toEqual({ total_completed_amount, completed_count, pending_count, failed_count });
      const asked = new URLSearchParams(query);
      const limit = Number(asked.get("limit") ?? 10);
      expect(answer.pagination).toEqual({
        current_page: Number(asked.get("page") ?? 1),
        per_page: limit,
        total_items,
        total_pages: Math.ceil(total_items / limit),
      });
    });
  });

  test("type is the kind in upper case, is_deposit is true for wallet_deposit only", async () => {
    const { transactions } = await list("status=pending");
    expect(transactions.map(({ kind, type, is_deposit }) => [kind, type, is_deposit])).toEqual([
      ["credit_topup", "CREDIT_TOPUP", false],
      ["wallet_deposit", "WALLET_DEPOSIT", true],
      ["web", "WEB", false],
      ["api", "API", false],
    ]);
    for (const { checkout_request_id, status } of transactions) {
      const answer = await scene.send({ path: "/status.php", json: { checkout_request_id } });
      expect(answer.body).toMatchObject({ status });
    }
  });

  test.each(["type=web", "status=pending", "date_from=2026-11-21", "search=07123"])(
    "an id that the filter %s leaves out is 404",
    async (filter) => {
      expect((await scene.send({ path: `/transactions.php?id=4&${filter}` })).status).toBe(404);
    },
  );

  test("filters_applied has the filters as momo understood them, without page and limit", async () => {
    const query = "page=1&limit=5&type=API&status=Completed&date_from=2026-11-20&date_to=2026-11-20&search=07&id=1";
    expect((await list(query)).filters_applied).toEqual({
      ...{ type: "api", status: "completed", search: "07", id: 1 },
      ...{ date_from: "2026-11-20", date_to: "2026-11-20" },
    });
  });

  test("a merchant sees no payment of another one", async () => {
    const checkoutId = (await list("id=1")).transactions[0]?.checkout_request_id;
    for (const query of ["", "search=07"]) expect(idsOf(await list(query, "other"))).toEqual([10]);
    for (const query of [`search=${checkoutId}`, "status=pending"])
      expect(idsOf(await list(query, "other"))).toEqual([]);
    const foreign = await scene.send({ path: "/transactions.php?id=1", as: "other" });
    const unknown = await scene.send({ path: "/transactions.php?id=424242", as: "other" });
    expect([foreign.status, foreign.text]).toEqual([404, unknown.text]);
  });
});

test("the store learns that the client of a list has gone", async () => {
  const scene = await openScene();
  const list = spyOn(scene.store.transactionList, "list");
  const client = new AbortController();
  await scene.send({ path: "/transactions.php?search=07", signal: client.signal });
  const signal = list.mock.lastCall?.[3];
  expect(signal?.aborted).toBe(false);
  client.abort();
  expect(signal?.aborted).toBe(true);
  await scene.close();
});
