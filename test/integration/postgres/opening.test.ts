import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UnusableDatabase } from "../../../src/store/store.ts";
import { cleanUp, later } from "../../support/cleanup.ts";
import {
  available,
  freePort,
  newDatabase,
  openEngine,
  runSql,
  type Server,
  sharedServer,
} from "../../support/postgres.ts";

afterAll(cleanUp);

const SECRET = "hunter2hunter2";

/** Opens it, which must fail with a line that shows no password. */
async function refusalOf(url: string, options: Parameters<typeof openEngine>[1] = {}): Promise<[string, string]> {
  try {
    const store = await openEngine(url, { commitDeadlineMs: 5000, ...options });
    store.close();
  } catch (error) {
    if (!(error instanceof UnusableDatabase)) throw error;
    expect(error.message).not.toContain("\n");
    expect(`${error.message} ${error.stack}`).not.toContain(SECRET);
    return [error.problem, error.message];
  }
  throw new Error("it was opened");
}

describe("a URL that cannot be used is refused in one line without its password", () => {
  test.each([
    ["not a URL", "the URL of the database must look like postgres://user@host:5432/name"],
    [`mysql://momo:${SECRET}@127.0.0.1/x`, "the URL of the database must look like postgres://user@host:5432/name"],
    [`postgres://:${SECRET}@127.0.0.1/x`, "must name a user and a host, as postgres://user@host/name does"],
    [`postgres://u:${SECRET}@h/x?sslmode=maybe`, "sslmode=maybe, which must be one of disable, prefer, require"],
    [`postgres://u:${SECRET}@h/x?user=other`, "has user, and can have host, sslmode, sslrootcert, application_name"],
  ])("%s", async (url, message) => {
    const [problem, shown] = await refusalOf(url);
    expect([problem, shown]).toEqual(["refused", expect.stringContaining(message)]);
  });

  test("of a host that is not there, and of a port where nobody listens", async () => {
    const nobody = `postgres://momo:${SECRET}@127.0.0.1:${await freePort()}/x`;
    expect((await refusalOf(nobody))[0]).toBe("unreachable");
    expect(await refusalOf(`postgres://momo:${SECRET}@nowhere.invalid/x`)).toEqual([
      "unreachable",
      expect.stringContaining("the database x at nowhere.invalid:5432 cannot be reached"),
    ]);
  });
});

for (const version of available()) {
  describe(`PostgreSQL ${version} that cannot be used is refused in one line`, () => {
    let server: Server;
    beforeAll(async () => {
      server = await sharedServer(version);
    });

    test("of a database that is not there", async () => {
      expect(await refusalOf(server.url("nothing_here"))).toEqual([
        "refused",
        `the database nothing_here at 127.0.0.1:${server.port} refuses the connection: database "nothing_here" does not exist`,
      ]);
    });

    test("for a wrong password, and for a right one of a role without rights", async () => {
      const url = new URL(await newDatabase(server));
      const [user, hba] = [`locked${process.pid}`, join(server.folder, "data/pg_hba.conf")];
      await runSql(url.href, `CREATE ROLE ${user} LOGIN PASSWORD '${SECRET}'`);
      writeFileSync(hba, `host all ${user} 127.0.0.1/32 scram-sha-256\n${readFileSync(hba, "utf8")}`);
      await runSql(url.href, "SELECT pg_reload_conf()");
      url.username = user;
      const wrong = await refusalOf(url.href, { password: `${SECRET}-wrong` });
      expect(wrong).toEqual(["refused", expect.stringContaining(`password authentication failed for user "${user}"`)]);
      expect(await refusalOf(url.href, { password: SECRET })).toEqual([
        "unwritable",
        expect.stringContaining("cannot be written: permission denied"),
      ]);
    });

    test("of another program", async () => {
      const url = await newDatabase(server, { empty: true });
      await runSql(url, "CREATE TABLE invoices (id int)");
      expect(await refusalOf(url)).toEqual(["foreign", expect.stringContaining("has tables of another program")]);
      expect(await runSql(url, "SELECT to_regclass('momo_schema')::text AS made")).toEqual([{ made: null }]);
    });

    test("of a newer schema, and of none where none may be made", async () => {
      const url = await newDatabase(server);
      await runSql(url, "UPDATE momo_schema SET version = 99");
      expect(await refusalOf(url)).toEqual([
        "newer",
        expect.stringContaining("was written by a newer momo (schema 99; this one knows up to 1)"),
      ]);
      const empty = await newDatabase(server, { empty: true });
      expect(await refusalOf(empty, { migrate: "refuse" })).toEqual(["missing", expect.stringContaining("is empty")]);
    });

    test("with --require-replica, that keeps commits on one disk", async () => {
      expect(await refusalOf(await newDatabase(server), { requireReplica: true })).toEqual([
        "fragile",
        expect.stringContaining("can lose answered payments when it fails over"),
      ]);
    });

    test("nothing of the environment is mixed in", async () => {
      const url = await newDatabase(server);
      const kept = { ...process.env };
      Object.assign(process.env, { PGDATABASE: "other", PGUSER: "other", DATABASE_URL: "postgres://x@127.0.0.1:1/y" });
      try {
        const store = await openEngine(url);
        later(() => store.close());
        const [row] = await store.sql.read<{ name: string }>("SELECT current_database() AS name");
        expect(url).toEndWith(`/${row?.name}`);
      } finally {
        for (const name of ["PGDATABASE", "PGUSER", "DATABASE_URL"]) {
          if (kept[name] === undefined) delete process.env[name];
        }
      }
    });
  });
}
