import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TransactionFilter } from "../../src/domain/filter.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import { dayOf } from "../../src/domain/timestamp.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { ListReader } from "../../src/store/sqlite/list-reader.ts";
import { createNumbering } from "../../src/store/sqlite/numbering.ts";
import { createStore } from "../../src/store/sqlite/sqlite.ts";
import { recount } from "../../src/store/sqlite/totals.ts";
import type { TransactionStore } from "../../src/store/store.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { CREATED_AT_MS } from "../support/payments.ts";

/** Each statement that is used often finds its rows by an index: no plan reads all transactions. */

afterAll(cleanUp);

/** 5,000 payments of a month, one in fifty still pending, and the statistics that SQLite collects at a close. */
function fill(file: string): void {
  const { client, close } = openDatabase(file);
  client.run(`
    INSERT INTO merchants VALUES (1, 'Shop', 1);
    INSERT INTO payment_accounts VALUES (1, 1, 'Main', 100, 0, 1);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO transactions (id, merchant_id, payment_account_id, kind, status, amount_cents, fee_cents, phone, reference,
      reference_folded, secret, result_code, created_at_ms, expires_at_ms, check_at_ms, memo)
    SELECT i, 1, 1, 0, iif(i % 50, 2, 0), 10000, 100, iif(i = 1, 254100000000, 254700000000) + i * 7919 % 100000000,
      'ref ' || i, 'REF ' || i, '0123456789AB', iif(i % 50, 1, NULL),
      ${CREATED_AT_MS} + i * 500000, ${CREATED_AT_MS} + i * 500000 + 60000,
      iif(i % 50, NULL, ${CREATED_AT_MS} + i * 500000 + 3000), ''
    FROM n;
  `);
  recount(client);
  client.run("ANALYZE");
  close();
}

function removeStatistics(file: string): void {
  // A connection keeps the statistics that it has read.
  const client = new Database(file);
  client.run("DELETE FROM sqlite_stat1");
  client.close();
}

/** Notes the SQL of every statement that runs, except those that begin and end transactions. */
function recordStatements(client: Database): string[] {
  const seen: string[] = [];
  const prepare = client.prepare.bind(client);
  client.query = ((sql: string) => {
    const statement = prepare(sql) as unknown as Record<string, (...values: unknown[]) => unknown>;
    for (const method of ["all", "get", "values", "run"]) {
      const run = statement[method]?.bind(statement);
      statement[method] = (...values) => {
        if (!/^(BEGIN|COMMIT|PRAGMA)/.test(sql)) seen.push(sql);
        return run?.(...values);
      };
    }
    return statement;
  }) as unknown as typeof client.query;
  return seen;
}

const BY_NUMBER = "SEARCH transactions USING INTEGER PRIMARY KEY (rowid=?)";
const OF_PHONE = expect.stringContaining("transactions_by_phone (merchant_id=? AND phone=?)");
const phone = "254700007919" as Msisdn;
const day = dayOf(CREATED_AT_MS);
const FILTERS: [string, TransactionFilter][] = [
  ["no filter", {}],
  ["a kind", { kind: "web" }],
  ["a status", { status: "pending" }],
  ["days", { fromDay: day, toDay: day }],
  ["a kind, a status and days", { kind: "api", status: "failed", fromDay: day, toDay: day }],
  ["an id", { id: 7 }],
  ["an id of what is searched for", { id: 7, search: "ref" }],
  ["a search", { search: "0712" }],
  ["a broad range of phones", { search: "07" }],
  ["a broad range of phones and a status", { search: "07", status: "failed" }],
  ["everything", { kind: "api", status: "failed", fromDay: day, toDay: day, search: "ws_", id: 7 }],
];

describe.each(["with SQLite's statistics", "without them, as in the first life of a server"])("%s", (statistics) => {
  let transactions: TransactionStore;
  /** Reads a page to its end. */
  let list: (filter: TransactionFilter, number: number) => void;
  let plansOf: (run: () => unknown) => Promise<string[]>;
  let close: () => void;

  beforeAll(() => {
    const file = `${newFolder()}/momo.db`;
    fill(file);
    if (statistics.startsWith("without")) removeStatistics(file);
    const explaining = new Database(file);
    const database = openDatabase(file);
    const { client } = database;
    const statements = recordStatements(client);
    const store = createStore(database, file);
    ({ transactions } = store);
    const requestIds = createNumbering(client).requestIds();
    list = (filter, number) => {
      const reading = new ListReader(client, requestIds).read(1, filter, { number, limit: 10 });
      while (!reading.next().done);
    };
    plansOf = async (run) => {
      statements.length = 0;
      await run();
      const plans = statements.flatMap((sql) =>
        explaining.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all(),
      );
      return plans.map(({ detail }) => detail);
    };
    close = () => {
      store.close();
      explaining.close();
    };
  });
  afterAll(() => close());

  /** The plans of what runs, none of which scans a table. The index of the schedule has pending rows only; ANY scans an index. */
  async function plansWithoutScan(run: () => unknown): Promise<string[]> {
    const plans = await plansOf(run);
    const isScan = (plan: string) =>
      plan.includes("ANY(") ||
      (/^SCAN (transactions|\w+_totals)/.test(plan) && !plan.includes("INDEX transactions_due"));
    expect(plans).not.toEqual([]);
    expect(plans.filter(isScan)).toEqual([]);
    return plans;
  }

  test("status of a payment: one row, by its number", async () => {
    const pending = (await transactions.listPending(1))[0];
    const plans = await plansWithoutScan(() => transactions.findByCheckoutRequestId(pending?.checkoutRequestId ?? ""));
    expect(plans).toEqual([BY_NUMBER]);
  });

  test("due transactions, in their order: the schedule, without sorting", async () => {
    const plans = await plansOf(() => transactions.resolveDue(CREATED_AT_MS, 500, async () => []));
    expect(plans).toEqual(["SEARCH transactions USING INDEX transactions_due (check_at_ms<?)"]);
  });

  test("the next check: the first of the schedule", async () => {
    const plans = await plansWithoutScan(() => transactions.nextCheckAtMs());
    expect(plans).toEqual([expect.stringContaining("INDEX transactions_due")]);
  });

  test("open prompts: the beginning of the schedule, without sorting it", async () => {
    const plans = await plansWithoutScan(() => transactions.listPending(100));
    expect(plans).toContainEqual(expect.stringMatching(/^SCAN transactions USING .*INDEX transactions_due$/));
    expect(plans.join()).not.toContain("TEMP B-TREE");
  });

  test("open prompts and payments of a phone with few payments: its rows only", async () => {
    for (const run of [() => transactions.listPending(100, phone), () => transactions.listPaid(100, phone)]) {
      expect(await plansWithoutScan(run)).toEqual(expect.arrayContaining([OF_PHONE, BY_NUMBER]));
    }
  });

  test("the last payments of all merchants: from the end of one index", async () => {
    expect(await plansOf(() => transactions.listPaid(100))).toEqual([
      "SCAN transactions USING INDEX transactions_paid",
      "USE TEMP B-TREE FOR LAST TERM OF ORDER BY", // of those that were paid in the same millisecond
    ]);
  });

  test("a payment by its reference", async () => {
    await plansWithoutScan(() => transactions.findByReference("ref 5"));
  });

  test("outcomes of payments: their rows, and no other pending ones", async () => {
    const due = await transactions.listPending(3);
    const plans = await plansWithoutScan(() => transactions.record(due));
    expect(new Set(plans)).toEqual(new Set([BY_NUMBER]));
  });

  test.each(FILTERS)(
    "list by %s: rows by number or by the list's index, counts from the totals of days",
    async (_, filter) => {
      const plans = await plansWithoutScan(() => list(filter, 1));
      await plansWithoutScan(() => list(filter, 450));
      if (filter.search === undefined && filter.id === undefined) {
        expect(plans).toContainEqual(expect.stringMatching(/^SEARCH day_totals USING PRIMARY KEY \(merchant_id=\?/));
      }
      if (filter.search === "0712" || filter.id !== undefined) {
        expect(plans).toContain(BY_NUMBER);
        expect(plans.join()).not.toContain("transactions_newest");
      }
    },
  );

  test("a page near the beginning comes from the list's index, a deep one from few blocks of numbers", async () => {
    expect(await plansWithoutScan(() => list({}, 2))).toContain(
      "SEARCH transactions USING COVERING INDEX transactions_newest (merchant_id=? AND created_at_ms>? AND created_at_ms<?)",
    );
    const deep = await plansWithoutScan(() => list({}, 450));
    expect(deep.filter((plan) => plan.endsWith("INTEGER PRIMARY KEY (rowid>? AND rowid<?)"))).toHaveLength(1);
    expect(deep).toContainEqual(
      expect.stringMatching(/^SEARCH block_totals USING PRIMARY KEY \(merchant_id=\? AND bits=\?/),
    );
    expect(deep.join()).not.toContain("transactions_newest");
  });
});
