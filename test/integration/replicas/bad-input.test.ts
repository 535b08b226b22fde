import { afterAll, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { type Run, runMomo } from "../../support/momo.ts";
import { freePort, runSql, WITH_PASSWORD } from "../../support/postgres.ts";
import { describeWithPostgres, emptyDatabase, startReplica } from "../../support/replicas.ts";

afterAll(cleanUp);

const SECRET = "topsecret";

/** One line that names what is wrong, perhaps one with what helps, and no secret. */
function expectRefusal(run: Run, exitCode: number, message: RegExp): void {
  expect(run.exitCode).toBe(exitCode);
  expect(run.stdout).toBe("");
  expect(run.stderr).toMatch(message);
  expect(run.stderr).not.toContain(SECRET);
  expect(run.stderr).not.toMatch(/^\s+at /m);
  expect(run.stderr.trimEnd().split("\n").length).toBeLessThanOrEqual(2);
}

const serve = (database: string, flags: readonly string[] = [], env: Record<string, string> = {}) =>
  runMomo(["serve", "--port", "0", "--ephemeral", "--commit-deadline", "20s", ...flags], {
    env: { MOMO_DATABASE: database, ...env },
  });

// More refusals of the engine are in test/integration/postgres/opening.test.ts.
describeWithPostgres("a database that cannot be used is refused with one clear line", () => {
  test("a text that is not a URL, on the command line and in the environment", async () => {
    for (const bad of ["nonsense", `mysql://momo:${SECRET}@127.0.0.1/x`]) {
      expectRefusal(await runMomo(["serve", "--database", bad]), 2, /--database must look like postgres:\/\/USER@HOST/);
      expectRefusal(await serve(bad), 2, /MOMO_DATABASE must look like/);
    }
  });

  test("a port on which no server listens", async () => {
    const database = `postgres://momo:${SECRET}@127.0.0.1:${await freePort()}/x`;
    expectRefusal(await serve(database, ["--commit-deadline", "1s"]), 1, /cannot be reached/);
  });

  test("a wrong password, from the URL, from PGPASSWORD and from a file; the right one is accepted", async () => {
    const database = await emptyDatabase();
    await runSql(database, `CREATE ROLE shop LOGIN SUPERUSER PASSWORD 'right' IN ROLE ${WITH_PASSWORD}`);
    const url = (password = "") => database.replace("momo@", `shop${password}@`);
    const file = join(newFolder(), "password");
    writeFileSync(file, `${SECRET}\n`);
    chmodSync(file, 0o600);
    const refused = /refuses the connection: password authentication failed/;
    expectRefusal(await serve(url(`:${SECRET}`)), 1, refused);
    expectRefusal(await serve(url(), [], { PGPASSWORD: SECRET }), 1, refused);
    expectRefusal(await serve(url(), ["--database-password-file", file]), 1, refused);
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

  test("a database that can lose payments, with --require-replica", async () => {
    expectRefusal(await serve(await emptyDatabase(), ["--require-replica"]), 1, /can lose answered payments/);
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

  test("options that have a meaning only with a database, and rules with a count, which only a single server can have", async () => {
    for (const flags of [["--replica", "a"], ["--require-replica"], ["--allow-reset"], ["--commit-deadline", "5s"]]) {
      const run = await runMomo(["serve", "--port", "0", "--ephemeral", ...flags]);
      expectRefusal(run, 2, new RegExp(`${flags[0]} has a meaning only with --database`));
    }
    const database = await emptyDatabase();
    for (const flags of [
      ["--replica", "a b"],
      ["--database-connections", "1"],
      ["--commit-deadline", "2h"],
    ]) {
      expectRefusal(await serve(database, flags), 2, new RegExp(`${flags[0]}`));
    }
    const rules = join(newFolder(), "rules.json");
    writeFileSync(rules, '[{"outcome":"cancelled","times":1}]');
    expectRefusal(await serve(database, ["--rules", rules]), 2, /--rules cannot have rules with times/);
  });
});
