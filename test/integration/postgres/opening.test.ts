import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Clock } from "../../../src/domain/clock.ts";
import { UnusableDatabase } from "../../../src/store/store.ts";
import { systemClock } from "../../../src/system.ts";
import { cleanUp, keepEnvironment } from "../../support/cleanup.ts";
import {
  describePostgres,
  freePort,
  holdTransaction,
  newDatabase,
  openEngine,
  openReplica,
  openShop,
  runSql,
  type Server,
  sharedServer,
  untilBlocked,
  WITH_PASSWORD,
} from "../../support/postgres.ts";
import { insertPending } from "../../support/shop.ts";
import { until } from "../../support/waiting.ts";

afterAll(cleanUp);

const SECRET = "hunter2hunter2";
const UNUSED_PORT = freePort();

interface Case {
  readonly url: string;
  readonly options?: Parameters<typeof openEngine>[1];
}

/** Opens it, which must fail with one line that shows no password, and leave no alarm: the process would not end. */
async function refusalOf({ url, options }: Case): Promise<[problem: string, message: string]> {
  const alarms = new Set<() => void>();
  const alarm: Clock["alarm"] = (atMs, ring) => {
    const cancel = systemClock.alarm(atMs, () => alarms.delete(cancel) && ring());
    alarms.add(cancel);
    return () => alarms.delete(cancel) && cancel();
  };
  const clock = { ...systemClock, alarm };
  try {
    (await openEngine(url, { commitDeadlineMs: 5000, clock, replica: "refused", ...options })).close();
  } catch (error) {
    expect(alarms.size).toBe(0);
    if (!(error instanceof UnusableDatabase)) throw error;
    expect(error.message).not.toContain("\n");
    expect(`${error.message} ${error.stack}`).not.toContain(SECRET);
    return [error.problem, error.message];
  }
  throw new Error("it was opened");
}

describe("a URL that cannot be used is refused", () => {
  test.each([
    ["not a URL", "refused", "the URL of the database must look like postgres://user@host:5432/name"],
    [`mysql://momo:${SECRET}@127.0.0.1/x`, "refused", "must look like postgres://user@host:5432/name"],
    [`postgres://:${SECRET}@127.0.0.1/x`, "refused", "must name a user and a host, as postgres://user@host/name does"],
    [`postgres://u:${SECRET}@h/x?sslmode=maybe`, "refused", "sslmode=maybe, which must be one of disable, prefer"],
    [`postgres://u:${SECRET}@h/x?user=other`, "refused", "has user, and can have host, sslmode, sslrootcert"],
    [`postgres://momo:${SECRET}@nowhere.invalid/x`, "unreachable", "the database x at nowhere.invalid:5432 cannot be"],
    [`postgres://momo:${SECRET}@127.0.0.1:${UNUSED_PORT}/x`, "unreachable", "cannot be reached"],
  ])("%s", async (url, problem, message) => {
    expect(await refusalOf({ url })).toEqual([problem, expect.stringContaining(message)]);
  });
});

describePostgres((version) => {
  let server: Server;
  beforeAll(async () => {
    server = await sharedServer(version);
    await runSql(
      server.url("postgres"),
      `CREATE ROLE locked LOGIN PASSWORD '${SECRET}' IN ROLE ${WITH_PASSWORD}`,
      "CREATE ROLE narrow LOGIN CONNECTION LIMIT 0",
    );
  });

  interface Made {
    /** A user with their password; by default the owner of the database. */
    readonly user?: string;
    readonly empty?: boolean;
    readonly sql?: string;
    readonly options?: Case["options"];
  }

  /** Makes a database that is refused. */
  async function make({ user = "momo", empty = false, sql, options }: Made): Promise<Case> {
    const url = await newDatabase(server, { empty });
    if (sql !== undefined) await runSql(url, sql);
    return { url: url.replace("momo@", `${user}@`), ...(options && { options }) };
  }

  test.each<[string, Made]>([
    ['refused: role "stranger" does not exist', { user: `stranger:${SECRET}` }],
    [
      'refused: password authentication failed for user "locked"',
      { user: "locked", options: { password: `${SECRET}-wrong` } },
    ],
    ["unwritable: cannot be written: permission denied", { user: "locked", options: { password: SECRET } }],
    ["unreachable: has no connection left", { user: "narrow" }],
    ["foreign: has tables of another program", { empty: true, sql: "CREATE TABLE invoices (id int)" }],
    ["foreign: has tables of another program", { empty: true, sql: "CREATE VIEW invoices AS SELECT 1" }],
    ["older: has the older schema 2", { sql: "UPDATE momo_schema SET version = 2" }],
    [
      "newer: was written by a newer momo (schema 99; this one knows up to 4)",
      { sql: "UPDATE momo_schema SET version = 99" },
    ],
    ["missing: is empty", { empty: true, options: { migrate: "refuse" } }],
    ["fragile: can lose answered payments when it fails over", { options: { requireReplica: true } }],
  ])("a database is refused in one line without its password: %s (%j)", async (refusal, made) => {
    const refused = await make(made);
    const [problem, message] = await refusalOf(refused);
    expect(problem).toBe(refusal.split(": ")[0] ?? "");
    expect(message).toContain(refusal.slice(problem.length + 2));
    await until(
      () => runSql(server.url("postgres"), "SELECT 1 FROM pg_stat_activity WHERE application_name = 'momo refused'"),
      (connections) => connections.length === 0,
    );
    if (problem !== "foreign") return;
    expect(await runSql(refused.url, "SELECT to_regclass('momo_schema')::text AS made")).toEqual([{ made: null }]);
  });

  test("a database that is missing is refused", async () => {
    const refusal = ["refused", expect.stringContaining('database "nothing" does not exist')];
    expect(await refusalOf({ url: server.url("nothing") })).toEqual(refusal as [string, string]);
  });

  test("an older schema is updated where that is allowed, and keeps its rows", async () => {
    const { url, store } = await openShop(version);
    const kept = await insertPending(store);
    const functions = "momo_insert(text, text), momo_record(text, text, text)";
    await runSql(url, `DROP FUNCTION ${functions}`, "UPDATE momo_schema SET version = 2");
    const updated = await openReplica(url, { migrate: "older" });
    expect(updated.schema).toBe(4);
    const added = await insertPending(updated);
    expect(await updated.transactions.listPending(9)).toEqual([kept, added]);
  });

  test("six replicas open an empty database at once, also while another creates it: the schema is created once", async () => {
    const url = await newDatabase(await sharedServer(version), { empty: true });
    // A seventh has created the first table, and has not committed yet: the six collide with it.
    const table = "CREATE TABLE momo_schema (id integer PRIMARY KEY CHECK (id = 1), version integer NOT NULL)";
    const commit = await holdTransaction(url, table);
    const opening = Promise.all(Array.from({ length: 6 }, () => openReplica(url, { connections: 2 })));
    await untilBlocked(url, 6);
    await commit();
    const stores = await opening;
    for (const store of stores) expect(store.schema).toBe(4);
    expect(await runSql(url, "SELECT version FROM momo_schema")).toEqual([{ version: 4 }]);
    expect(await runSql(url, "SELECT id FROM numbering")).toEqual([{ id: 1 }]);
    const added = await Promise.all(stores.map(({ merchants }, n) => merchants.addMerchant(`${n}`, 1)));
    expect(new Set(added.map((merchant) => merchant?.id)).size).toBe(6);
  });
});

describePostgres(
  (version) => {
    keepEnvironment();

    test("variables of the environment change nothing", async () => {
      const url = await newDatabase(await sharedServer(version));
      const variables = { PGDATABASE: "other", PGUSER: "other", DATABASE_URL: "postgres://x@127.0.0.1:1/y" };
      Object.assign(process.env, variables);
      const store = await openReplica(url);
      const [row] = await store.sql.read<{ name: string }>("SELECT current_database() AS name");
      expect(url).toEndWith(`/${row?.name}`);
    });
  },
  ["15"],
);
