import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TransactionFilter } from "../../src/domain/filter.ts";
import type { Msisdn } from "../../src/domain/phone.ts";
import { type Day, dayOf } from "../../src/domain/timestamp.ts";
import { createCommitQueue } from "../../src/store/sqlite/commit-queue.ts";
import { type OpenDatabase, openDatabase } from "../../src/store/sqlite/database.ts";
import { createSnapshot } from "../../src/store/sqlite/snapshot.ts";
import { createTransactionReader } from "../../src/store/sqlite/transaction-reader.ts";
import { createTransactionStore } from "../../src/store/sqlite/transactions.ts";
import { CREATED_AT_MS } from "../support/payments.ts";

/** The hot statements find what they want by an index: no plan reads all transactions. */

const folder = mkdtempSync(join(tmpdir(), "momo-test-"));
let file: string;
let database: OpenDatabase;
let statements: string[];
afterAll(() => rmSync(folder, { recursive: true }));

/** A busy month: 5,000 payments, one in fifty still pending, and the statistics that SQLite gathers at a close. */
function fill(): void {
  const { client, close } = openDatabase(file);
  client.run(`
    INSERT INTO merchants VALUES (1, 'Shop', 1);
    INSERT INTO payment_accounts VALUES (1, 1, 'Main', 100, 0, 1);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO transactions (merchant_id, payment_account_id, kind, status, amount_cents, fee_cents, phone, reference,
      reference_folded, checkout_request_id, merchant_request_id, result_code, result_desc, created_at_ms, expires_at_ms,
      check_at_ms, memo)
    SELECT 1, 1, 'api', iif(i % 50, 'failed', 'pending'), 10000, 100, iif(i = 1, '2541', '2547') || printf('%08d', i * 7919 % 100000000),
      'ref ' || i, 'REF ' || i, 'ws_CO_' || i, 'ws_MR_' || i, iif(i % 50, 1, NULL), iif(i % 50, 'no', NULL),
      ${CREATED_AT_MS} + i * 500000, ${CREATED_AT_MS} + i * 500000 + 60000,
      iif(i % 50, NULL, ${CREATED_AT_MS} + i * 500000 + 3000), iif(i % 50, NULL, '')
    FROM n;
    ANALYZE;
  `);
  close();
}

function forgetStatistics(): void {
  const client = new Database(file);
  client.run("DELETE FROM sqlite_stat1");
  client.close(true);
}

/** Notes the SQL of every statement that is run from now on, but for those that only frame others. */
function recordStatements(client: Database): string[] {
  const seen: string[] = [];
  const prepare = client.prepare.bind(client);
  const recording = ((sql: string) => {
    const statement = prepare(sql) as unknown as Record<string, (...values: unknown[]) => unknown>;
    for (const method of ["all", "get", "values", "run"]) {
      const run = statement[method]?.bind(statement);
      statement[method] = (...values) => {
        if (!/^(BEGIN|COMMIT|PRAGMA)/.test(sql)) seen.push(sql);
        return run?.(...values);
      };
    }
    return statement;
  }) as unknown as typeof client.prepare;
  client.prepare = recording; // drizzle's
  client.query = recording as unknown as typeof client.query; // ours
  return seen;
}

const WALK =
  "SEARCH transactions USING INDEX transactions_newest (merchant_id=? AND created_at_ms>? AND created_at_ms<?)";
const ONE_ENTRY = /order by "transactions"\."\w+" (asc|desc) limit \?$/;

function plans(): string[] {
  const explaining = new Database(file, { readonly: true });
  const details = statements.splice(0).flatMap((sql) => {
    const plan = explaining.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all();
    // SQLite calls a scan also what ends after one entry: the first or the last of an index.
    const isOneEntry = plan.length === 1 && ONE_ENTRY.test(sql);
    return plan.map(({ detail }) => (isOneEntry ? detail.replace(/^SCAN/, "END OF") : detail));
  });
  explaining.close(true);
  return details;
}

/** A scan of the schedule is none of the table: that index holds the pending alone. ANY leaps through a whole index. */
const fullScans = (details: readonly string[]) =>
  details.filter(
    (plan) =>
      plan.includes("ANY(") ||
      (/^SCAN (transactions|totals|phone_totals)/.test(plan) && !plan.includes("INDEX transactions_due")),
  );

async function expectNoScan(run: () => Promise<unknown>): Promise<string[]> {
  await run();
  const details = plans();
  expect(details).not.toEqual([]);
  expect(fullScans(details)).toEqual([]);
  return details;
}

const transactions = () => {
  const snapshot = createSnapshot(database.client);
  return createTransactionStore(database.client, snapshot, createCommitQueue(database.client, snapshot));
};

describe.each([
  ["with the statistics that SQLite gathers at a close", "known.db"],
  ["without them, as in the first life of a server", "unknown.db"],
])("no statement reads all transactions, %s", (_when, name) => {
  beforeAll(() => {
    file = join(folder, name);
    fill();
    if (name === "unknown.db") forgetStatistics();
    database = openDatabase(file);
    statements = recordStatements(database.client);
  });
  afterAll(() => database.close());

  test("the status of a payment: one search of the index of checkout request ids", async () => {
    const details = await expectNoScan(() => transactions().findByCheckoutRequestId("ws_CO_7"));
    expect(details).toEqual([expect.stringMatching(/^SEARCH transactions USING INDEX .*\(checkout_request_id=\?\)$/)]);
  });

  test("what is due, in its order: the schedule, without sorting", async () => {
    const details = await expectNoScan(() => transactions().listDue(CREATED_AT_MS, 500));
    expect(details).toEqual(["SEARCH transactions USING INDEX transactions_due (check_at_ms<?)"]);
  });

  test("the next check: the first of the schedule", async () => {
    const details = await expectNoScan(() => transactions().nextCheckAtMs());
    expect(details).toEqual([expect.stringContaining("INDEX transactions_due")]);
  });

  test("the open prompts: the beginning of the schedule, without sorting it", async () => {
    const details = await expectNoScan(() => transactions().listPending(100));
    expect(details).toContainEqual(expect.stringMatching(/^SCAN transactions USING .*INDEX transactions_due$/));
    expect(details.filter((detail) => detail.includes("TEMP B-TREE"))).toEqual([]);
  });

  test("the open prompts of a phone that pays seldom: its payments alone", async () => {
    const details = await expectNoScan(() => transactions().listPending(100, "254700007919" as Msisdn));
    expect(details).toContainEqual(expect.stringContaining("transactions_by_phone (merchant_id=? AND phone=?)"));
    expect(details).toContainEqual("SEARCH transactions USING INTEGER PRIMARY KEY (rowid=?)");
  });

  test("what was paid last, whatever there is of merchants: from the end of one index", async () => {
    await transactions().listPaid(100);
    expect(plans()).toEqual([
      "SCAN transactions USING INDEX transactions_paid",
      "USE TEMP B-TREE FOR LAST TERM OF ORDER BY", // of those that were paid in the same millisecond
    ]);
  });

  test("what was paid last by one phone that pays seldom: its payments alone", async () => {
    const details = await expectNoScan(() => transactions().listPaid(100, "254700007919" as Msisdn));
    expect(details).toContainEqual(expect.stringContaining("transactions_by_phone (merchant_id=? AND phone=?)"));
    expect(details).toContainEqual("SEARCH transactions USING INTEGER PRIMARY KEY (rowid=?)");
  });

  test("a payment by its reference", async () => {
    await expectNoScan(() => transactions().findByReference("ref 5"));
  });

  test("the outcomes of payments: their rows, and no other that is pending", async () => {
    const store = transactions();
    const due = await store.listDue(CREATED_AT_MS + 1e12, 3);
    expect(due).toHaveLength(3);
    statements.length = 0;
    const details = await expectNoScan(() => store.record(due));
    expect(details).toEqual([
      expect.stringMatching(/^SCAN outcome VIRTUAL TABLE/),
      "SEARCH transactions USING INTEGER PRIMARY KEY (rowid=?)",
    ]);
  });

  const day: Day = dayOf(CREATED_AT_MS);
  const filters: [string, TransactionFilter][] = [
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

  test.each(filters)("the list by %s, its first page and a deep one, and its totals", async (_what, filter) => {
    const list = createTransactionReader(database.client);
    await expectNoScan(async () => list.read(1, filter, { number: 1, limit: 10 }));
    await expectNoScan(async () => list.read(1, filter, { number: 50, limit: 10 }));
  });

  test.each(filters.filter(([, { search, id }]) => (search !== undefined && search !== "07") || id !== undefined))(
    "the rows of %s are found by their ids, not by walking the list",
    async (_what, filter) => {
      const list = createTransactionReader(database.client);
      const details = await expectNoScan(async () => list.read(1, filter, { number: 1, limit: 10 }));
      expect(details).toContain("SEARCH transactions USING INTEGER PRIMARY KEY (rowid=?)");
      expect(details.filter((plan) => /transactions_(newest|by_kind_and_status)/.test(plan))).toEqual([]);
      // An id is enough: what else is found is not gathered.
      if (filter.id !== undefined) expect(details.filter((plan) => plan.includes("SUBQUERY"))).toEqual([]);
    },
  );

  test("what a search finds too much of is walked to in the order of the list, and nothing is sorted", async () => {
    const reader = createTransactionReader(database.client);
    const kindAndStatus = { kind: "api", status: "failed" } as const;
    for (const filter of [{}, { fromDay: day }, kindAndStatus]) {
      const details = await expectNoScan(async () =>
        reader.read(1, { ...filter, search: "ref" }, { number: 1, limit: 10 }),
      );
      expect(details.filter((plan) => plan === WALK)).toHaveLength(2);
      expect(details.filter((plan) => plan.includes("ORDER BY"))).toEqual([]);
    }
  });

  test.each([1, 2, 499, 500])(
    "a broad range of phones is counted already, and page %d of 500 is walked to, sorting nothing",
    async (number) => {
      const reader = createTransactionReader(database.client);
      for (const filter of [{ search: "07" }, { search: "07", status: "failed" }] as const) {
        const details = await expectNoScan(async () => reader.read(1, filter, { number, limit: 10 }));
        expect(details).toContain("SEARCH phone_totals USING PRIMARY KEY (merchant_id=? AND prefix>? AND prefix<?)");
        // What is pending is the rest of what the index of phones counts, and it reads no rows for that.
        const ofPhones = details.filter((plan) => plan.includes("INDEX transactions_by_phone"));
        expect(ofPhones.filter((plan) => !plan.includes("COVERING"))).toEqual([]);
        expect(details.filter((plan) => plan.includes("ORDER BY"))).toEqual([]);
        expect(details.filter((plan) => plan === WALK)).toHaveLength(filter.status && number > 490 ? 0 : 1);
      }
    },
  );

  test("a search that finds all that there is is answered as if there were none", async () => {
    const reader = createTransactionReader(database.client);
    const details = await expectNoScan(async () => reader.read(1, { search: "ws_" }, { number: 1, limit: 10 }));
    expect(details).toContainEqual(expect.stringMatching(/^SEARCH totals USING PRIMARY KEY \(merchant_id=\?/));
    expect(details.filter((plan) => plan.includes("UNION ALL"))).toEqual([]);
  });

  test.each(filters.filter(([, { search, id }]) => search === undefined && id === undefined))(
    "the summary by %s comes from the daily totals, and the page is found in its order by one index alone",
    async (_what, filter) => {
      const list = createTransactionReader(database.client);
      const details = await expectNoScan(async () => list.read(1, filter, { number: 1, limit: 10 }));
      expect(details).toContainEqual(expect.stringMatching(/^SEARCH totals USING PRIMARY KEY \(merchant_id=\?/));
      const [whole, ...streams] = details.filter((plan) => plan.includes("transactions"));
      expect(whole).toBe("SEARCH transactions USING INTEGER PRIMARY KEY (rowid=?)");
      expect(streams).not.toEqual([]);
      for (const plan of streams) {
        expect(plan).toMatch(
          /COVERING INDEX transactions_(newest|by_kind_and_status) \(.*created_at_ms>\? AND created_at_ms<\?\)/,
        );
      }
      // Only the rows of the page itself are sorted once more.
      expect(details.filter((plan) => plan.includes("TEMP B-TREE FOR ORDER BY"))).toHaveLength(1);
    },
  );
});
