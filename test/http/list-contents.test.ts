import { describe, expect, test } from "bun:test";
import type { AmountCents } from "../../src/domain/money.ts";
import { parsePhone } from "../../src/domain/phone.ts";
import { KINDS, type Kind } from "../../src/domain/transaction.ts";
import type { Caller } from "../support/harness.ts";
import { openScene, type Scene } from "../support/scenario.ts";

type Item = Record<string, unknown>;

async function list(scene: Scene, query = "", as: "caller" | "other" = "caller") {
  const { status, body } = await scene.send({ path: `/transactions.php?${query}`, as });
  expect(status, String(body.message)).toBe(200);
  return body as { transactions: Item[]; summary: Item; pagination: Item; filters_applied: Item };
}

/** A payment as a page, a deposit or a top-up makes it. */
function startKind({ harness }: Scene, { merchantId, accountId }: Caller, kind: Kind, phone = "254712345678") {
  return harness.service.startPayment(merchantId, {
    kind,
    paymentAccountId: accountId,
    phone: parsePhone(phone),
    amountCents: 10_000 as AmountCents,
    reference: null,
    description: null,
    instruction: null,
  });
}

describe("kind: api, web, wallet_deposit, credit_topup", () => {
  test("all four are stored and listed; type is an upper-case label; is_deposit only for wallet_deposit", async () => {
    const scene = await openScene();
    for (const kind of KINDS) await startKind(scene, scene.caller, kind);
    const { transactions } = await list(scene);
    expect(transactions.map(({ kind, type, is_deposit }) => [kind, type, is_deposit]).reverse()).toEqual([
      ["api", "API", false],
      ["web", "WEB", false],
      ["wallet_deposit", "WALLET_DEPOSIT", true],
      ["credit_topup", "CREDIT_TOPUP", false],
    ]);
    for (const kind of KINDS) {
      const filtered = await list(scene, `type=${kind}`);
      expect(filtered.transactions.map((item) => item.kind)).toEqual([kind]);
    }
    await scene.close();
  });

  test("their status can be asked for like that of any other", async () => {
    const scene = await openScene();
    const { checkoutRequestId } = await startKind(scene, scene.caller, "wallet_deposit");
    const json = { checkout_request_id: checkoutRequestId };
    expect((await scene.send({ path: "/status.php", json })).body).toMatchObject({ status: "pending" });
    await scene.close();
  });
});

describe("order of the list: newest first", () => {
  test("also where the clock showed the same instant, and over pages", async () => {
    const scene = await openScene();
    const ids: number[] = [];
    for (let i = 0; i < 25; i++) {
      ids.unshift((await scene.start()).transaction_id);
      if (i % 5 === 0) await scene.harness.advance(1000);
    }
    const seen: unknown[] = [];
    for (const page of [1, 2, 3]) seen.push(...(await list(scene, `page=${page}`)).transactions.map(({ id }) => id));
    expect(seen).toEqual(ids);
    await scene.close();
  });
});

describe("pagination: current_page, per_page, total_items, total_pages", () => {
  test("the last page is shorter, and past the end there is an empty page", async () => {
    const scene = await openScene();
    for (let i = 0; i < 7; i++) await scene.start();
    const sizes = [];
    for (const page of [1, 2, 3, 4]) {
      const { transactions, pagination } = await list(scene, `page=${page}&limit=3`);
      expect(pagination).toEqual({ current_page: page, per_page: 3, total_items: 7, total_pages: 3 });
      sizes.push(transactions.length);
    }
    expect(sizes).toEqual([3, 3, 1, 0]);
    expect((await list(scene, "limit=7")).pagination).toMatchObject({ total_pages: 1 });
    await scene.close();
  });
});

describe("summary: over all rows that the filters select, not the page; failed_count counts failed only", () => {
  async function playOut(): Promise<Scene> {
    const scene = await openScene();
    const phones = { completed: "254700000000", failed: "254700000001", cancelled: "254700000032" };
    for (const phone of Object.values(phones)) await scene.start({ phone, amount: 10.1 });
    await scene.start({ phone: phones.completed, amount: 20.2 });
    await scene.start({ phone: "254700000019", amount: 5 });
    await scene.harness.advance(60_000);
    await scene.start({ amount: 3 });
    await startKind(scene, scene.caller, "web");
    await scene.start({ payment_account_id: scene.other.accountId }, { as: "other" });
    return scene;
  }

  const EXPECTED: [query: string, amount: number, completed: number, pending: number, failed: number, items: number][] =
    [
      ["", 30.3, 2, 2, 1, 7],
      ["limit=1", 30.3, 2, 2, 1, 7],
      ["limit=1&page=5", 30.3, 2, 2, 1, 7],
      ["page=99", 30.3, 2, 2, 1, 7],
      ["status=completed&limit=1", 30.3, 2, 0, 0, 2],
      ["status=failed", 0, 0, 0, 1, 1],
      ["status=cancelled", 0, 0, 0, 0, 1],
      ["status=expired", 0, 0, 0, 0, 1],
      ["type=web", 0, 0, 1, 0, 1],
      ["type=api&status=pending", 0, 0, 1, 0, 1],
      ["search=0700000000", 30.3, 2, 0, 0, 2],
      ["search=07&limit=1", 30.3, 2, 2, 1, 7],
      ["search=0700&status=completed&limit=1", 30.3, 2, 0, 0, 2],
      ["id=1", 10.1, 1, 0, 0, 1],
      ["date_from=2026-11-20&limit=1", 30.3, 2, 2, 1, 7],
      ["date_from=2026-11-21", 0, 0, 0, 0, 0],
    ];

  test("for each filter", async () => {
    const scene = await playOut();
    for (const [query, total_completed_amount, completed_count, pending_count, failed_count, items] of EXPECTED) {
      const { summary, pagination } = await list(scene, query);
      expect(summary, query).toEqual({ total_completed_amount, completed_count, pending_count, failed_count });
      expect(pagination.total_items, query).toBe(items);
    }
    await scene.close();
  });
});

describe("timestamps, date_from, date_to: Africa/Nairobi; both bounds inclusive", () => {
  test("the last second of a day and the first of the next", async () => {
    const scene = await openScene({ startMs: Date.UTC(2026, 10, 20, 20, 59, 59) });
    const before = (await scene.start()).transaction_id;
    await scene.harness.advance(1000);
    const after = (await scene.start()).transaction_id;
    const ids = async (query: string) => (await list(scene, query)).transactions.map(({ id }) => id);
    expect(await ids("date_to=2026-11-20")).toEqual([before]);
    expect(await ids("date_from=2026-11-21")).toEqual([after]);
    expect(await ids("date_from=2026-11-20&date_to=2026-11-21")).toEqual([after, before]);
    expect(await ids("date_from=2026-11-20&date_to=2026-11-20")).toEqual([before]);
    expect(await ids("date_from=2026-11-22")).toEqual([]);
    expect(await ids("date_to=2026-11-19")).toEqual([]);
    const { transactions } = await list(scene);
    expect(transactions.map((item) => item.created_at)).toEqual(["2026-11-21 00:00:00", "2026-11-20 23:59:59"]);
    await scene.close();
  });
});

describe("filters_applied: the filters in force, normalised, without page and limit; {} when none", () => {
  test("all of them at once, and none", async () => {
    const scene = await openScene();
    const { transaction_id } = await scene.start();
    const query = `page=1&limit=5&type=API&status=Pending&date_from=2026-11-20&date_to=2026-11-20&search=07&id=${transaction_id}`;
    expect((await list(scene, query)).filters_applied).toEqual({
      type: "api",
      status: "pending",
      date_from: "2026-11-20",
      date_to: "2026-11-20",
      search: "07",
      id: transaction_id,
    });
    expect((await list(scene, "page=1&limit=5")).filters_applied).toEqual({});
    expect((await list(scene)).filters_applied).toEqual({});
    await scene.close();
  });
});

describe("lists its transactions", () => {
  test("a merchant never sees another's", async () => {
    const scene = await openScene();
    const started = await scene.start({ reference: "MINE" });
    for (const query of ["", "search=07", "search=mine", `search=${started.checkout_request_id}`, "status=pending"]) {
      expect((await list(scene, query, "other")).transactions).toEqual([]);
      expect((await list(scene, query)).transactions).toHaveLength(1);
    }
    await scene.close();
  });
});
