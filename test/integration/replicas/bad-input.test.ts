import { afterAll, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { expectRefusal, runMomo } from "../../support/momo.ts";
import { runSql, WITH_PASSWORD } from "../../support/postgres.ts";
import { describeWithPostgres, emptyDatabase, startReplica } from "../../support/replicas.ts";

afterAll(cleanUp);

const SECRET = "topsecret";

const serve = (database: string, flags: readonly string[] = [], env: Record<string, string> = {}) =>
  runMomo(["serve", "--port", "0", "--ephemeral", "--commit-deadline", "20s", ...flags], {
    env: { MOMO_DATABASE: database, ...env },
  });

// More refusals are in test/integration/postgres/opening.test.ts, and in test/sessions/serve.txt.
describeWithPostgres("a database that cannot be used is refused with one clear line", () => {
  test("a wrong password, from the URL, from PGPASSWORD and from a file; the right one is accepted", async () => {
    const database = await emptyDatabase();
    await runSql(database, `CREATE ROLE shop LOGIN SUPERUSER PASSWORD 'right' IN ROLE ${WITH_PASSWORD}`);
    const url = (password = "") => database.replace("momo@", `shop${password}@`);
    const file = join(newFolder(), "password");
    writeFileSync(file, `${SECRET}\n`);
    chmodSync(file, 0o600);
    const runs = [
      await serve(url(`:${SECRET}`)),
      await serve(url(), [], { PGPASSWORD: SECRET }),
      await serve(url(), ["--database-password-file", file]),
    ];
    for (const run of runs) {
      expectRefusal(run, 1, /^.*refuses the connection: password authentication failed.*\n(?:.*\n)?$/);
      expect(run.stderr).not.toContain(SECRET);
    }
    writeFileSync(file, "right\n");
    const replica = await startReplica(url(), "a", ["--database-password-file", file]);
    expect(JSON.stringify(replica.ready)).not.toContain("right");
    await replica.stop();
    const migrated = await runMomo(["migrate", "--database", url(":right")]);
    expect(migrated.exitCode).toBe(0);
    expect(migrated.stderr).toContain("the list of processes shows the password in --database");
    expect(migrated.stderr).toMatch(/^the database has schema [0-9]+, which this momo knows$/m);
    const asJson = await runMomo(["migrate", "--json", "--database", url(":right")]);
    expect(JSON.parse(asJson.stdout)).toEqual({ schema: expect.any(Number) });
  });

  test("a name that another server has; it is free again when that server was killed", async () => {
    const database = await emptyDatabase();
    const first = await startReplica(database, "ab");
    const refused = /another server with the name ab uses this database\n.*--replica/;
    expectRefusal(await serve(database, ["--replica", "ab"]), 1, refused);
    await (await startReplica(database, "a")).stop();
    await first.kill();
    await (await startReplica(database, "ab")).stop();
  });

  test("rules with a count, which only a single server can have", async () => {
    const rules = join(newFolder(), "rules.json");
    writeFileSync(rules, '[{"outcome":"cancelled","times":1}]');
    expectRefusal(await serve(await emptyDatabase(), ["--rules", rules]), 2, /--rules cannot have rules with times/);
  });
});
