import { afterEach, expect, test } from "bun:test";
import { parseAddress } from "../../../src/store/postgres/address.ts";
import { createConnections } from "../../../src/store/postgres/connections.ts";
import { systemClock } from "../../../src/system.ts";
import { cleanUp, later } from "../../support/cleanup.ts";
import { available, newDatabase, runSql, sharedServer } from "../../support/postgres.ts";
import { rejectionOf } from "../../support/rejection.ts";
import { until } from "../../support/until.ts";

afterEach(cleanUp);

for (const version of available()) {
  const open = async () => {
    const url = await newDatabase(await sharedServer(version), { empty: true });
    const connections = createConnections(parseAddress(url, null, "test"), 2, systemClock);
    later(() => connections.close());
    return { url, connections };
  };

  /** Ends a connection at the server, and waits until the driver has seen that. */
  const endAtServer = async (url: string, pid: number) => {
    await runSql(url, `SELECT pg_terminate_backend(${pid})`);
    const left = () => runSql(url, `SELECT 1 FROM pg_stat_activity WHERE pid = ${pid}`);
    await until(left, (rows) => rows.length === 0);
    await Bun.sleep(20);
  };

  test(`PostgreSQL ${version}: a transaction whose connection was ended is not committed on another connection`, async () => {
    const { url, connections } = await open();
    await runSql(url, "CREATE TABLE written (n int)");
    const error = await rejectionOf(
      connections.use(5000, async ({ query, script }) => {
        await script("BEGIN; INSERT INTO written VALUES (1)");
        const [row] = await query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
        await endAtServer(url, row?.pid ?? 0);
        await script("COMMIT");
      }),
    );
    expect(error).toMatchObject({ code: "ERR_POSTGRES_CONNECTION_CLOSED" });
    expect(await runSql(url, "SELECT n FROM written")).toEqual([]);
  });

  test(`PostgreSQL ${version}: a connection that the server ended while nobody used it is not used again`, async () => {
    const { url, connections } = await open();
    const pidOf = () => connections.use(5000, ({ query }) => query<{ pid: number }>("SELECT pg_backend_pid() AS pid"));
    const [first] = await pidOf();
    await endAtServer(url, first?.pid ?? 0);
    const [second] = await pidOf();
    expect(second?.pid).not.toBe(first?.pid ?? 0);
  });
}
