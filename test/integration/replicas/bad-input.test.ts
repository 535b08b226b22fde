import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { type Run, runMomo } from "../../support/momo.ts";
import {
  freePort,
  newDatabase,
  runSql,
  type Server,
  sharedServer,
  startOnly,
  startServer,
  urlOf,
} from "../../support/postgres.ts";
import { describeWithPostgres, emptyDatabase, startReplica } from "../../support/replicas.ts";
import { until } from "../../support/until.ts";

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
  runMomo(["serve", "--port", "0", "--ephemeral", "--commit-deadline", "1s", ...flags], {
    env: { MOMO_DATABASE: database, ...env },
  });

describeWithPostgres("a database that cannot be used is refused with one clear line", () => {
  let server: Server;
  beforeAll(async () => {
    server = await sharedServer("15");
  });

  test("a URL that is none, on the command line and in the environment", async () => {
    for (const bad of ["nonsense", `mysql://momo:${SECRET}@127.0.0.1/x`]) {
      expectRefusal(await runMomo(["serve", "--database", bad]), 2, /--database must look like postgres:\/\/USER@HOST/);
      expectRefusal(await serve(bad), 2, /MOMO_DATABASE must look like/);
    }
  });

  test("a host that is not there", async () => {
    expectRefusal(await serve(`postgres://momo:${SECRET}@127.0.0.1:${await freePort()}/x`), 1, /cannot be reached/);
  });

  test("a database and a user that are not there", async () => {
    expectRefusal(await serve(server.url("nowhere")), 1, /refuses the connection: database "nowhere" does not exist/);
    const stranger = server.url("postgres").replace("momo@", `stranger:${SECRET}@`);
    expectRefusal(await serve(stranger), 1, /refuses the connection: role "stranger" does not exist/);
  });

  test("a wrong password, from the URL, from PGPASSWORD and from a file; the right one is taken", async () => {
    const folder = newFolder();
    const { port, data } = await startServer("15", folder);
    await runSql(urlOf(port, "postgres"), "CREATE ROLE shop LOGIN PASSWORD 'right' SUPERUSER");
    writeFileSync(
      join(data, "pg_hba.conf"),
      "host all momo 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n",
    );
    await runSql(urlOf(port, "postgres"), "SELECT pg_reload_conf()");
    const url = (password = "") => `postgres://shop${password}@127.0.0.1:${port}/postgres`;
    const file = join(folder, "password");
    writeFileSync(file, `${SECRET}\n`);
    chmodSync(file, 0o600);
    expectRefusal(await serve(url(`:${SECRET}`)), 1, /refuses the connection: password authentication failed/);
    expectRefusal(await serve(url(), [], { PGPASSWORD: SECRET }), 1, /password authentication failed/);
    expectRefusal(await serve(url(), ["--database-password-file", file]), 1, /password authentication failed/);
    writeFileSync(file, "right\n");
    const replica = await startReplica(url(), "a", ["--database-password-file", file]);
    expect(JSON.stringify(replica.ready)).not.toContain("right");
    await replica.stop();
    const said = await runMomo(["migrate", "--database", url(":right")]);
    expect(said.exitCode).toBe(0);
    expect(said.stderr).toContain("the list of processes shows the password in --database");
  });

  test("a database of another program, and one of a newer momo", async () => {
    const foreign = await newDatabase(server, { empty: true });
    await runSql(foreign, "CREATE TABLE orders (id int)");
    expectRefusal(await serve(foreign), 1, /not a database of momo's|another program/);
    expect(await runSql(foreign, "SELECT 1 FROM information_schema.tables WHERE table_name = 'merchants'")).toEqual([]);
    const newer = await newDatabase(server);
    await runSql(newer, "UPDATE momo_schema SET version = 999");
    expectRefusal(await serve(newer), 1, /newer momo/);
  });

  test("a role without rights", async () => {
    const url = await newDatabase(server, { empty: true });
    await runSql(url, `CREATE ROLE reader_${process.pid} LOGIN`);
    expectRefusal(
      await serve(url.replace("momo@", `reader_${process.pid}@`)),
      1,
      /cannot be written: permission denied/,
    );
  });

  test("a connection limit that is reached", async () => {
    const url = await newDatabase(server, { empty: true });
    await runSql(url, `CREATE ROLE narrow_${process.pid} LOGIN CONNECTION LIMIT 0`);
    expectRefusal(await serve(url.replace("momo@", `narrow_${process.pid}@`)), 1, /has no connection left/);
  });

  test("a database that can lose payments, with --require-replica", async () => {
    expectRefusal(await serve(await emptyDatabase(), ["--require-replica"]), 1, /can lose answered payments/);
  });

  test("options that have a meaning only with a database, and rules that count for one server alone", async () => {
    const folder = newFolder();
    for (const flags of [["--replica", "a"], ["--require-replica"], ["--allow-reset"], ["--commit-deadline", "5s"]]) {
      const run = await runMomo(["serve", "--port", "0", "--ephemeral", ...flags]);
      expectRefusal(run, 2, new RegExp(`${flags[0]} has a meaning only with --database`));
    }
    for (const flags of [
      ["--replica", "a b"],
      ["--database-connections", "1"],
      ["--commit-deadline", "2h"],
    ]) {
      expectRefusal(await serve(server.url("postgres"), flags), 2, new RegExp(`${flags[0]}`));
    }
    const rules = join(folder, "rules.json");
    writeFileSync(rules, '[{"outcome":"cancelled","times":1}]');
    expectRefusal(await serve(await emptyDatabase(), ["--rules", rules]), 2, /--rules cannot have rules with times/);
  });
});

describeWithPostgres("an engine that goes away", () => {
  test("stops, and comes back: readiness tells, nothing half done is left, and momo goes on by itself", async () => {
    const folder = newFolder();
    const { port, data, stop } = await startServer("15", folder);
    const replica = await startReplica(urlOf(port, "postgres"), "a", ["--commit-deadline", "2s"]);
    const readiness = async () => {
      const response = await replica.ask("GET", "/ready");
      return `${response.status} ${((await response.json()) as { message: string }).message}`;
    };
    expect(await readiness()).toBe("200 momo takes payments");
    stop("immediate");
    await until(
      readiness,
      (said) => said === "503 momo takes no payments: the database has confirmed no write for 2 s",
    );
    expect(await replica.pay().catch((error: Error) => error.message)).toMatch(/^50[03] /);
    expect((await replica.ask("GET", "/health")).status).toBe(200);
    startOnly("15", data);
    await until(readiness, (said) => said === "200 momo takes payments");
    const id = await replica.pay({}, "completed; after=10ms");
    await until(
      () => replica.statusOf(id),
      (status) => status === "completed",
    );
    expect(replica.child.stderr.text).not.toMatch(/^\s+at /m);
    await replica.stop();
    stop("immediate");
  });
});
