import { afterAll, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { expectRefusal, KEYS, openPlain, runMomo } from "../../support/momo.ts";
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

  test.each([
    [
      "UPDATE momo_schema SET version = 2",
      /older schema 2.*\n.*stop the servers that use it, and run momo migrate --database$/m,
    ],
    ["UPDATE momo_schema SET version = 99", /a newer momo.*\n.*update momo$/m],
    [
      "ALTER TABLE momo_schema RENAME TO other",
      /another program.*\n.*make a new database, and name that with --database$/m,
    ],
  ])("the hint is one for a shared database: %s", async (sql, said) => {
    const database = await emptyDatabase();
    await (await startReplica(database, "a")).stop();
    await runSql(database, sql);
    expectRefusal(await serve(database), 1, said);
    expectRefusal(await runMomo(["keys", "list", "--database", database]), 1, said);
  });
});

describeWithPostgres("a database that another momo has used", () => {
  test("a replica without the first key makes no other one; another key is not used", async () => {
    const database = await emptyDatabase();
    const first = await startReplica(database, "first");
    const without = await startReplica(database, "second", [], { env: { MOMO_API_KEY: "", MOMO_API_SECRET: "" } });
    expect(without.ready).toMatchObject({ api_key: null, api_secret: null, payment_account_id: 1 });
    const other = { MOMO_API_KEY: `mk_${"o".repeat(24)}`, MOMO_API_SECRET: `ms_${"o".repeat(40)}` };
    const { child } = await startReplica(database, "third", [], { env: other });
    await child.stderr.until(/^momo: MOMO_API_KEY is not used, because the database has a key already\n/);
    expect((await first.control("GET", "/keys")).keys).toHaveLength(1);
  });

  test("at a terminal a stop says how long it drains, and that the payments stay", async () => {
    const database = await emptyDatabase();
    await (await startReplica(database, "a")).stop();
    const env = { MOMO_DATABASE: database, NO_COLOR: "1" };
    const { screen, type, exited } = openPlain(["serve", "--port", "0", "--ephemeral", "--drain", "1s"], { env });
    await screen.until(/API key +another server has made it[\s\S]*Ready\. Ctrl\+C stops\./);
    type(KEYS.ctrlC);
    expect(await exited).toBe(0);
    expect(screen.text).not.toContain("API secret ");
    expect(screen.text).toMatch(
      /stopping in 1s; Ctrl\+C stops at once\r\nstopped; the payments stay in the database\r\n$/,
    );
  });
});

describeWithPostgres("wrong totals of a shared database", () => {
  test("are found by momo doctor, and counted again while a server runs", async () => {
    const database = await emptyDatabase();
    const replica = await startReplica(database, "a");
    await replica.pay();
    const doctor = async (...flags: string[]) => {
      const { stdout } = await runMomo(["doctor", "--json", "--port", "0", "--database", database, ...flags]);
      const { findings } = JSON.parse(stdout) as { findings: { check: string; finding: string }[] };
      return findings.find(({ check }) => check === "shared database")?.finding;
    };
    const sound = expect.stringMatching(/^sound, schema [0-9]+$/);
    expect(await doctor()).toEqual(sound);
    await runSql(database, "UPDATE day_totals SET count = count + 1");
    expect(await doctor()).toBe("sound, but its totals are not those of its payments");
    expect(await doctor("--mend")).toEndWith("its totals were wrong, and are made again");
    expect(await doctor()).toEqual(sound);
    await replica.pay();
    await replica.stop();
  });
});

describeWithPostgres("two replicas, each with a directory of its own", () => {
  test("no command that names the directory of a killed one reaches the one that got its port", async () => {
    const [url, own, other] = [await emptyDatabase(), newFolder(), newFolder()];
    const a = await startReplica(url, "a", ["--data", own, "--allow-reset"]);
    await a.pay();
    expect((await runMomo(["reset", "--yes", "--data", own])).exitCode).toBe(0);
    await a.kill();
    const b = await startReplica(url, "b", [
      "--data",
      other,
      "--allow-reset",
      "--port",
      new URL(a.ready.base_url).port,
    ]);
    await b.pay();
    for (const words of [["reset", "--yes"], ["rules", "clear"], ["pay", "0712345678", "5"], ["list"]])
      expectRefusal(await runMomo([...words, "--data", own]), 6, `no sandbox is running on ${own}`);
    expect((await runMomo(["list", "-q", "--data", other])).stdout.trim().split("\n")).toHaveLength(1);
  });
});
