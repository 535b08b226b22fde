import { afterAll, beforeAll, describe, expect } from "bun:test";
import { cpSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../../support/binary.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { type Needed, testWith } from "../../support/needs.ts";
import { newDatabase, sharedServer } from "../../support/postgres.ts";
import { type Session, startSession } from "./session.ts";

/** The stores of docs/examples, which keep the orders of a client in a table. */

interface Language {
  readonly name: string;
  readonly needs: readonly Needed[];
  readonly client: string;
  readonly store: string;
  readonly program: string;
  /** Calls a method of the client, and prints what it returns. */
  readonly text: string;
  readonly command: string;
}

const LANGUAGES: readonly Language[] = [
  {
    name: "Python, SQLite",
    needs: ["python3"],
    client: "client.py",
    store: "table_store.py",
    program: "shop.py",
    command: "/usr/bin/python3 shop.py",
    text: `import json, os, sys
from client import Client
from table_store import TableStore
names = ["MOMO_BASE_URL", "MOMO_API_KEY", "MOMO_API_SECRET", "MOMO_PAYMENT_ACCOUNT_ID"]
momo = Client(*[os.environ[name] for name in names], TableStore("python.db"))
print(json.dumps(getattr(momo, sys.argv[1])(*sys.argv[2:])))
`,
  },
  {
    name: "JavaScript, PostgreSQL",
    needs: ["node", "pg", "PostgreSQL 15"],
    client: "client.mjs",
    store: "table-store.mjs",
    program: "shop.mjs",
    command: "node shop.mjs",
    text: `import pg from "pg";
import { createClient } from "./client.mjs";
import { tableStore } from "./table-store.mjs";
const { MOMO_BASE_URL, MOMO_API_KEY, MOMO_API_SECRET, MOMO_PAYMENT_ACCOUNT_ID, DATABASE } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE });
const keys = { baseUrl: MOMO_BASE_URL, apiKey: MOMO_API_KEY, apiSecret: MOMO_API_SECRET, paymentAccountId: MOMO_PAYMENT_ACCOUNT_ID };
const momo = createClient({ ...keys, store: await tableStore(pool) });
const [name, ...values] = process.argv.slice(2);
console.log(JSON.stringify(await momo[name](...values)));
await pool.end();
`,
  },
  {
    name: "PHP, SQLite",
    needs: ["php", "php curl", "php sqlite3"],
    client: "client.php",
    store: "table-store.php",
    program: "shop.php",
    command: "php shop.php",
    text: `<?php
require 'client.php';
require 'table-store.php';
$names = ['MOMO_BASE_URL', 'MOMO_API_KEY', 'MOMO_API_SECRET', 'MOMO_PAYMENT_ACCOUNT_ID'];
$database = new PDO('sqlite:php.db', options: [PDO::ATTR_TIMEOUT => 10]);
$momo = new Momo\\Client(...[...array_map(getenv(...), $names), new TableStore($database)]);
echo json_encode($momo->{$argv[1]}(...array_slice($argv, 2)));
`,
  },
];

const START = "start ORDER-0001 0712345678 100";

let session: Session;
beforeAll(async () => {
  session = await startSession();
  symlinkSync(join(ROOT, "test/integration/postgres/node_modules"), join(session.folder, "node_modules"));
});
afterAll(cleanUp);

describe("an order in a table", () => {
  for (const { name, needs, client, store, program, text, command } of LANGUAGES) {
    testWith(needs, `${name}: three processes push it once, and learn its end`, async () => {
      const { folder, run, variables } = session;
      cpSync(join(ROOT, "clients", client), join(folder, client));
      cpSync(join(ROOT, "docs/examples", store), join(folder, store));
      writeFileSync(join(folder, program), text);
      const DATABASE = needs.includes("pg") ? await newDatabase(await sharedServer("15"), { empty: true }) : "";
      const call = async (args: string) => {
        const { stdout, stderr } = await run(`${command} ${args}`, { ...variables, DATABASE });
        expect(stderr).toBe("");
        return JSON.parse(stdout);
      };
      const reset = await run("momo reset --yes && momo clock freeze -q", variables);
      expect(reset.exitCode).toBe(0);

      // At once, because each makes the table.
      expect(await Promise.all(Array.from({ length: 6 }, () => call("open")))).toEqual(Array(6).fill([]));
      const started = await Promise.all([call(START), call(START), call(START)]);
      expect(new Set(started.map(({ service_reference }) => service_reference)).size).toBe(1);
      expect(await call("open")).toEqual([expect.objectContaining({ reference: "ORDER-0001", status: "pending" })]);
      await run("momo clock advance 3s -q", variables);
      expect(await call("ask ORDER-0001")).toMatchObject({ status: "completed", receipt: expect.any(String) });
      expect(await call("open")).toEqual([]);
      const { stdout } = await run("momo list --json", variables);
      expect(JSON.parse(stdout).transactions).toHaveLength(1);
    });
  }
});
