import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAX_ID } from "../../src/store/sqlite/bounds.ts";
import { inspectDatabase } from "../../src/store/sqlite/sqlite.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runMomo, type Served, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

/** A copy with a payment that is pending, one that has completed, and one that has failed. */
let copy: string;
let origin: Served;

beforeAll(async () => {
  origin = await serveMomo(["--outcome", "manual"]);
  const pay = async (outcome: string, reference: string) => {
    const order = { payment_account_id: 1, phone: "0712345678", amount: 5, reference, description: "Ätna 🌋" };
    await origin.post("/stkpush.php", order, { "X-Sandbox-Outcome": outcome });
  };
  await pay("manual", "ORDER-1");
  await pay("completed; after=0ms", "straße ﬁ 🌋");
  await pay("cancelled; after=0ms", "".padEnd(100, "🌋"));
  const clock = { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"advance":"1s"}' };
  await fetch(`${origin.ready.control_url}/clock`, clock);
  copy = join(newFolder(), "copy");
  expect((await runMomo(["export", copy, ...origin.at])).exitCode).toBe(0);
});

/** The copy after some SQL, without momo's rules where those would refuse it. */
function changed(...statements: string[]): string {
  const file = join(newFolder(), "changed");
  copyFileSync(copy, file);
  const client = new Database(file);
  client.run("PRAGMA foreign_keys = OFF");
  client.run("PRAGMA ignore_check_constraints = ON");
  const triggers = client.query<{ name: string; sql: string }, []>(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'",
  );
  const kept = triggers.all();
  for (const { name } of kept) client.run(`DROP TRIGGER ${name}`);
  for (const statement of statements) client.run(statement);
  for (const { sql } of kept) client.run(sql);
  client.close();
  return file;
}

async function importInto(file: string) {
  const data = join(newFolder(), "data");
  return { data, run: await runMomo(["import", file, "--data", data]) };
}

const pending = (change: string) => `UPDATE transactions SET ${change} WHERE status = 0`;
const paid = (change: string) => `UPDATE transactions SET ${change} WHERE status = 1`;
const INT64 = "9223372036854775807";

/** What the API would never store, and the beginning of what the refusal says of it. */
const FORGED: readonly (readonly [sql: string, refusal: string])[] = [
  [pending(`id = ${MAX_ID + 1}`), `transactions.id is ${MAX_ID + 1}, and must be from 1 to ${MAX_ID}`],
  [
    `UPDATE merchants SET id = ${INT64}; UPDATE payment_accounts SET merchant_id = ${INT64}; UPDATE api_keys SET merchant_id = ${INT64}; UPDATE transactions SET merchant_id = ${INT64}`,
    "merchants.id is",
  ],
  [
    `UPDATE payment_accounts SET id = ${INT64}; UPDATE transactions SET payment_account_id = ${INT64}`,
    "payment_accounts.id is",
  ],
  [
    pending("expires_at_ms = 9000000000000000000"),
    "transactions.expires_at_ms is 9000000000000000000, and must be at most a day after",
  ],
  [pending("expires_at_ms = created_at_ms + 86400001"), "transactions.expires_at_ms is"],
  [
    pending("created_at_ms = 253402300800000, expires_at_ms = 253402300800001, check_at_ms = 253402300800001"),
    "transactions.created_at_ms is 253402300800000",
  ],
  [pending("created_at_ms = -1, expires_at_ms = 5, check_at_ms = 5"), "transactions.created_at_ms is -1"],
  [paid("completed_at_ms = 9000000000000000000"), "transactions.completed_at_ms is 9000000000000000000"],
  [pending("check_at_ms = -9000000000000000000"), "transactions.check_at_ms is"],
  [pending(`fee_cents = ${INT64}`), `transactions.fee_cents is ${INT64}`],
  [`UPDATE transactions SET result_code = ${INT64} WHERE status = 3`, "transactions.result_code is"],
  ["UPDATE merchants SET created_at_ms = 9000000000000000000", "merchants.created_at_ms is"],
  ["UPDATE payment_accounts SET created_at_ms = -1", "payment_accounts.created_at_ms is -1"],
  ["UPDATE api_keys SET revoked_at_ms = 9000000000000000000", "api_keys.revoked_at_ms is"],
  ["UPDATE merchants SET name = 'Duka' || char(10) || 'X'", "merchants.name is"],
  ["UPDATE payment_accounts SET name = char(27) || '[31m'", "payment_accounts.name is"],
  ["UPDATE merchants SET name = printf('%0101d', 1)", "merchants.name is '000"],
  ["UPDATE api_keys SET label = 'a' || char(0) || 'b'", "api_keys.label is"],
  [pending("reference = 'a' || char(0) || hex(zeroblob(5000))"), "transactions.reference is"],
  [pending("description = 'a' || char(0) || hex(zeroblob(5000))"), "transactions.description is"],
  [pending("reference_folded = 'OTHER'"), "transactions.reference_folded is 'OTHER'"],
  [pending("secret = 'ABCDEFGHIJKL'"), "transactions.secret is 'ABCDEFGHIJKL'"],
  [paid("receipt_number = printf('%0101d', 1)"), "transactions.receipt_number is"],
  [
    "UPDATE transactions SET result_code = 4711 WHERE status = 3",
    "transactions.result_desc is NULL, and must be there",
  ],
  [`UPDATE numbering SET last_forgotten = ${INT64}`, `numbering.last_forgotten is ${INT64}`],
  ["DELETE FROM numbering", "there are 1 databases without a key for request ids, and can be 0"],
  [pending("memo = hex(zeroblob(5000))"), "transactions.memo is"],
  [pending("memo = 'nonsense 12'"), "transactions.memo is 'nonsense 12', and must be a note of the network's"],
  [pending("memo = 'manual 1790000000000 default'"), "transactions.memo is 'manual 1790000000000 default'"],
  [paid("memo = 'completed 9e99'"), "transactions.memo is 'completed 9e99'"],
  [
    `INSERT INTO merchants VALUES (2, 'Other', 1); ${pending("merchant_id = 2")}`,
    "transactions.payment_account_id is 1, and must be an account of the same merchant",
  ],
  [
    "WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n WHERE v < 1000) INSERT INTO payment_accounts SELECT v + 1, 1, 'A', 0, 0, 1 FROM n",
    "there are 1001 payment accounts of a merchant, and can be 1000",
  ],
];

describe("an import is as strict as the API: the refusal names table, column and value, and nothing is made", () => {
  for (const [sql, refusal] of FORGED) {
    test.concurrent(refusal, async () => {
      const file = changed(...sql.split(";"));
      const { data, run } = await importInto(file);
      expect(run).toMatchObject({ stdout: "", exitCode: 1 });
      expect(run.stderr).toStartWith(`momo: ${file} holds what momo never stores: `);
      expect(run.stderr).toContain(refusal);
      expect(run.stderr.trimEnd().split("\n")).toHaveLength(2);
      expect(existsSync(join(data, "momo.db"))).toBe(false);
    });
  }

  for (const [what, sql] of [
    ["a number without a successor", pending(`id = ${INT64}`)],
    ["a number below 1", pending(`id = -5`)],
    ["an amount", pending(`amount_cents = ${INT64}`)],
    ["a phone", pending(`phone = 712345678`)],
    ["a status", "UPDATE transactions SET status = 9 WHERE status = 3"],
    ["a tariff", "UPDATE payment_accounts SET fee_basis_points = 10001"],
  ] as const) {
    test.concurrent(`what the schema's own checks refuse, they refuse here, too: ${what}`, async () => {
      const { run } = await importInto(changed(sql));
      expect(run).toMatchObject({
        stdout: "",
        exitCode: 1,
        stderr: expect.stringContaining("CHECK constraint failed"),
      });
    });
  }
});

describe("unknown tables are refused", () => {
  /** SQLite lets nobody make a table of such a name; whoever writes the bytes need not ask. */
  const smuggled = (name: string, columns: string) => {
    const file = changed(`CREATE TABLE ${name.replace("sqlite", "sqlxte")}(${columns})`);
    const bytes = readFileSync(file).toString("latin1").replaceAll("sqlxte", "sqlite");
    writeFileSync(file, bytes, "latin1");
    return file;
  };

  test.concurrent.each([
    ["sqlite_planted", "a"],
    ["sqlite_stat1", "tbl, idx, stat, more"],
    ["sqlite_sequence", "name,seq"],
    ["plain", "a"],
  ])("%s", async (name, columns) => {
    const file = smuggled(name, columns);
    const { data, run } = await importInto(file);
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
    expect(run.stderr).toStartWith(`momo: ${file} is not a database of momo's\n`);
    expect(existsSync(join(data, "momo.db"))).toBe(false);
  });
});

describe("what momo counts itself is not believed", () => {
  test.concurrent("forged totals are counted anew", async () => {
    const file = changed(
      "UPDATE day_totals SET count = 1000000, amount_cents = 7",
      "INSERT INTO day_totals VALUES (1, 20000, 0, 1, 5, 5), (99, 1, 0, 0, 1, 1)",
      "DELETE FROM block_totals WHERE bits = 17",
      "INSERT INTO block_totals VALUES (1, 11, 4711, 0, 1, 3, 3, 3)",
    );
    expect(inspectDatabase(file)).toMatchObject({ totals: false });
    const { data, run } = await importInto(file);
    expect(run.exitCode).toBe(0);
    expect(inspectDatabase(join(data, "momo.db"))).toMatchObject({ totals: true });
  });

  test.concurrent("so are the statistics that choose how SQLite reads", async () => {
    const file = changed("ANALYZE", "UPDATE sqlite_stat1 SET stat = '1 1 1 1 1'", "ANALYZE sqlite_schema");
    const { data, run } = await importInto(file);
    expect(run.exitCode).toBe(0);
    const client = new Database(join(data, "momo.db"), { readonly: true });
    expect(client.query("SELECT * FROM sqlite_stat1 WHERE stat = '1 1 1 1 1'").values()).toEqual([]);
    client.close();
  });
});

test("what is right at its edge is taken, and served", async () => {
  const file = changed(pending(`id = ${MAX_ID}`));
  const { data, run } = await importInto(file);
  expect(run).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("1 merchant, 3 transactions") });
  const server = await serveMomo(["--data", data]);
  const { api_key, api_secret } = origin.ready;
  const headers = { "X-API-Key": api_key, "X-API-Secret": api_secret, "Content-Type": "application/json" };
  const order = JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 5 });
  const paid = await fetch(`${server.ready.base_url}/stkpush.php`, { method: "POST", headers, body: order });
  expect(paid.status).toBe(200);
  const list = await fetch(`${server.ready.base_url}/transactions.php`, { headers });
  expect(((await list.json()) as { transactions: { id: number }[] }).transactions[0]?.id).toBe(MAX_ID + 1);
});
