import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolve } from "../../../src/domain/state-machine.ts";
import { areTotalsTrue } from "../../../src/store/postgres/totals.ts";
import { startChild } from "../../support/child.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { CREATED_AT_MS, paidAt } from "../../support/payments.ts";
import {
  asNobody,
  freePort,
  giveToNobody,
  missing,
  newDatabase,
  openEngine,
  sharedServer,
} from "../../support/postgres.ts";
import { addMerchants, insertPending } from "../../support/shop.ts";

afterAll(cleanUp);

const PGBOUNCER = "/usr/sbin/pgbouncer";
const why = missing("15") ?? (existsSync(PGBOUNCER) ? null : "apt-get install pgbouncer");

/** PgBouncer gives each transaction another connection: what belongs to a session is lost, or is somebody else's. */
async function startPooler(port: number): Promise<number> {
  const folder = newFolder();
  const listen = await freePort();
  writeFileSync(
    join(folder, "pgbouncer.ini"),
    `[databases]\n* = host=127.0.0.1 port=${port} user=momo\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${listen}
auth_type = any\npool_mode = transaction\ndefault_pool_size = 3\nunix_socket_dir =\n`,
  );
  giveToNobody(folder);
  const child = startChild([...asNobody, PGBOUNCER, join(folder, "pgbouncer.ini")], { env: {}, cwd: "/" });
  later(async () => {
    child.signal("SIGKILL");
    await child.exited;
  });
  await child.stderr.until(/process up/);
  return listen;
}

if (why === null) describe("behind PgBouncer in transaction mode", behindPooler);
else test(`behind PgBouncer in transaction mode: left out; ${why}`, () => {});

function behindPooler(): void {
  test("every answer belongs to its question, and every payment is stored and resolved once", async () => {
    const server = await sharedServer("15");
    const url = new URL(await newDatabase(server));
    url.port = String(await startPooler(server.port));
    url.username = "momo";
    const replicas = await Promise.all([openEngine(url.href), openEngine(url.href)]);
    for (const store of replicas) later(() => store.close());
    const [store] = replicas;
    if (!store) throw new Error("there are two");
    await addMerchants(store, 2);
    const pending = await Promise.all(
      Array.from({ length: 400 }, (_, index) =>
        insertPending(replicas[index % 2] ?? store, {
          reference: `R-${index}`,
          merchantId: 1 + (index % 2),
          paymentAccountId: 1 + (index % 2),
        }),
      ),
    );
    const looked = await Promise.all(
      pending.flatMap((one, index) => [
        (replicas[(index + 1) % 2] ?? store).transactions.findByCheckoutRequestId(one.checkoutRequestId),
        store.transactions.findByReference(`R-${index}`),
      ]),
    );
    expect(looked).toEqual(pending.flatMap((one) => [one, one]));
    const resolved = await Promise.all(
      replicas.map(({ transactions }) =>
        transactions.resolveDue(CREATED_AT_MS + 9000, 300, async (due) =>
          due.map((one) => resolve(one, paidAt(CREATED_AT_MS + 5, `P${one.id}`))),
        ),
      ),
    );
    for (const { transactions } of replicas) {
      resolved.push(
        await transactions.resolveDue(CREATED_AT_MS + 9000, 500, async (due) =>
          due.map((one) => resolve(one, paidAt(CREATED_AT_MS + 5, `P${one.id}`))),
        ),
      );
    }
    expect(
      resolved
        .flat()
        .map(({ id }) => id)
        .sort(),
    ).toEqual(pending.map(({ id }) => id).sort());
    const { summary } = await store.transactionList.list(1, {}, { number: 1, limit: 10 });
    expect(summary).toMatchObject({ totalItems: 200, completedCount: 200, pendingCount: 0 });
    expect(await areTotalsTrue(store.sql.read)).toBe(true);
  });
}
