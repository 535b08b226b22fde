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
import { ListReader } from "../../src/store/sqlite/list-reader.ts";
import { createNumbering } from "../../src/store/sqlite/numbering.ts";
import { createSnapshot } from "../../src/store/sqlite/snapshot.ts";
import { createTotalsChange, recount } from "../../src/store/sqlite/totals.ts";
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
  client.query = recording as unknown as typeof client.query;
  return seen;
}

function plans(): string[] {
  const explaining = new Database(file, { readonly: true });
  const details = statements
    .splice(0)
    .flatMap((sql) => explaining.query<{ detail: string }, []>(`EXPLAIN QUERY PLAN ${sql}`).all())
    .map(({ detail }) => detail);
  explaining.close(true);
  return details;
}

/** A scan of the schedule is none of the table: that index holds the pending alone. ANY leaps through a whole index. */
const fullScans = (details: readonly string[]) =>
  details.filter(
    (plan) =>
      plan.includes("ANY(") ||
      (/^SCAN (transactions|day_totals|block_totals)/.test(plan) && !plan.includes("INDEX transactions_due")),
  );

async function expectNoScan(run: () => Promise<unknown>): Promise<string[]> {
  await run();
  const details = plans();
  expect(details).not.toEqual([]);
  expect(fullScans(details)).toEqual([]);
  return details;
}

const transactions = () => {
  const { client } = database;
  const [snapshot, totals, numbering] = [createSnapshot(client), createTotalsChange(client), createNumbering(client)];
  const commits = createCommitQueue(client, snapshot, totals);
  return createTransactionStore({ client, snapshot, commits, totals, numbering });
};

/** Reads a page to its end, with all steps that it takes. */
function list(filter: TransactionFilter, number: number): void {
  const { client } = database;
  const reading = new ListReader(client, createNumbering(client).requestIds()).read(1, filter, { number, limit: 10 });
  while (!reading.next().done);
}

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

  test("the status of a payment: one row, by its number", async () => {
    const requestIds = createNumbering(database.client).requestIds();
    const { checkoutRequestId } = requestIds.restore(7, CREATED_AT_MS, "0123456789AB");
    statements.length = 0;
    const details = await expectNoScan(() => transactions().findByCheckoutRequestId(checkoutRequestId));
    expect(details).toContain("SEARCH transactions USING INTEGER PRIMARY KEY (rowid=?)");
    expect(details.filter((plan) => /INDEX transactions/.test(plan))).toEqual([]);
  });

  test("what is due, in its order: the schedule, without sorting", async () => {
    const details = await expectNoScan(() => transactions().resolveDue(CREATED_AT_MS, 500, async () => []));
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
    const due = await store.listPending(3);
    expect(due).toHaveLength(3);
    statements.length = 0;
    const details = await expectNoScan(() => store.record(due));
    expect(new Set(details)).toEqual(new Set(["SEARCH transactions USING INTEGER PRIMARY KEY (rowid=?)"]));
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
    await expectNoScan(async () => list(filter, 1));
    await expectNoScan(async () => list(filter, 450));
  });

  test.each(filters.filter(([, { search, id }]) => search === "0712" || id !== undefined))(
    "the rows of %s are found by their numbers",
    async (_what, filter) => {
      const details = await expectNoScan(async () => list(filter, 1));
      expect(details).toContain("SEARCH transactions USING INTEGER PRIMARY KEY (rowid=?)");
      expect(details.filter((plan) => /transactions_newest/.test(plan))).toEqual([]);
    },
  );

  test.each(filters.filter(([, { search, id }]) => search === undefined && id === undefined))(
    "the summary by %s comes from the totals of days",
    async (_what, filter) => {
      const details = await expectNoScan(async () => list(filter, 1));
      expect(details).toContainEqual(expect.stringMatching(/^SEARCH day_totals USING PRIMARY KEY \(merchant_id=\?/));
    },
  );

  test("a page near the beginning comes from the index of the list, and a deep one from few blocks of numbers", async () => {
    await expectNoScan(async () => list({}, 2));
    list({}, 2);
    expect(plans()).toContain(
      "SEARCH transactions USING COVERING INDEX transactions_newest (merchant_id=? AND created_at_ms>? AND created_at_ms<?)",
    );
    list({}, 450);
    const details = plans();
    const blocks = details.filter((plan) => plan.endsWith("INTEGER PRIMARY KEY (rowid>? AND rowid<?)"));
    expect(blocks).toHaveLength(1);
    expect(details).toContainEqual(
      expect.stringMatching(/^SEARCH block_totals USING PRIMARY KEY \(merchant_id=\? AND bits=\?/),
    );
    expect(details.filter((plan) => plan.includes("transactions_newest"))).toEqual([]);
  });
});
