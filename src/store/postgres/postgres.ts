import { dayOf } from "../../domain/timestamp.ts";
import { UnusableDatabase } from "../store.ts";
import { Meter } from "../vitals.ts";
import { type Address, parseAddress } from "./address.ts";
import { Connections } from "./connections.ts";
import { createDeliveryStore } from "./deliveries.ts";
import { createEngineClock } from "./engine-clock.ts";
import { engineFailureOf, explain } from "./failures.ts";
import { createHeartbeat, type Heartbeat } from "./heartbeat.ts";
import { createTransactionList } from "./list.ts";
import { createMerchantStore } from "./merchants.ts";
import { prepareSchema } from "./migrations.ts";
import { openNumbering } from "./numbering.ts";
import type { PostgresOptions, PostgresStore } from "./options.ts";
import { createSql } from "./sql.ts";
import { areTotalsTrue, createShards, foldTotals, recountAlone, replicaChangeToken } from "./totals.ts";
import { createTransactionStore } from "./transactions.ts";
import { exportTables, importTables } from "./transfer.ts";
import { createVitals } from "./vitals.ts";

/** The engine that several replicas share. Other folders import only this file, and only when a server uses the engine. */

export type * from "./options.ts";
export { createSteeringTable } from "./steering.ts";

/** How long the first statement may take. Of a command that does one piece of work, the deadline of writes is a day. */
const OPEN_MS = 10_000;

/** Payments of yesterday can still be written for a while. */
const DAYS_IN_USE = 1;

/**
 * Opens the store, and creates or updates its schema if `migrate` allows that.
 * @throws UnusableDatabase with one line that says what is wrong; the password is not in it
 */
export async function openPostgres(options: PostgresOptions): Promise<PostgresStore> {
  const address = parseAddress(options.url, options.password, `momo ${options.replica}`);
  const connections = new Connections(address, options.connections, options.clock);
  try {
    return await open(options, address, connections);
  } catch (error) {
    await connections.close();
    throw explain(error, address.name);
  }
}

async function open(options: PostgresOptions, address: Address, connections: Connections): Promise<PostgresStore> {
  const { stopwatch, replica, commitDeadlineMs: deadlineMs } = options;
  const meter = new Meter();
  const clock = createEngineClock(options.clock, stopwatch);
  let heartbeat: Heartbeat | null = null;
  const onRecovered = () => void heartbeat?.beat().catch(() => {}); // the next beat reports an error
  const sql = createSql({ connections, clock: options.clock, stopwatch, meter, deadlineMs, onRecovered });
  // Not retried, so that a wrong address is reported at once.
  await connections.use({ openMs: OPEN_MS, workMs: OPEN_MS }, ({ query }) => query("SELECT 1"));
  const beating = createHeartbeat({
    sql,
    clock,
    stopwatch,
    host: options.clock,
    afterBeat: () => foldTotals(sql, dayOf(clock.nowMs()) - DAYS_IN_USE),
    reportFault: options.reportFault ?? (() => {}),
  });
  heartbeat = beating;
  try {
    await beating.beat();
    refuseUnfit(beating, options, address);
    const schema = await prepareSchema(sql, options, address.name);
    const numbering = await openNumbering(sql);
    const deliveries = createDeliveryStore(sql, numbering.requestIds, replica);
    const mayBeStale = () => beating.durability.isReplicated;
    const reads = { sql, stopwatch, waitMs: deadlineMs, mayBeStale };
    const shards = createShards(replica, meter);
    let closing: Promise<void> | null = null;
    return {
      merchants: createMerchantStore(sql, stopwatch),
      transactions: createTransactionStore({ ...reads, meter, shards, deliveries }, numbering),
      transactionList: createTransactionList(reads, connections, numbering.requestIds),
      deliveries,
      isShared: true,
      replicaChangeToken: () => replicaChangeToken(sql, shards),
      clock,
      sql,
      schema,
      vitals: createVitals({
        sql,
        clock,
        heartbeat: beating,
        connections,
        meter,
        numbering,
        deliveries,
        shards,
        engineFailureOf: (error) => engineFailureOf(error, address),
      }),
      exportAll: () => exportTables(connections),
      areTotalsTrue: () => sql.reading(({ query }) => areTotalsTrue(query), true),
      recount: () => recountAlone(sql),
      importAll: (rows) => importTables(connections, rows, address.name),
      close() {
        beating.stop();
        closing ??= connections.close();
      },
      async closed() {
        await closing;
      },
    };
  } catch (error) {
    beating.stop();
    throw error;
  }
}

function refuseUnfit({ durability }: Heartbeat, { requireReplica }: PostgresOptions, { name }: Address): void {
  if (durability.isStandby) throw new UnusableDatabase("standby", `${name} is a standby, and takes no writes`);
  if (requireReplica && !durability.isReplicated) {
    throw new UnusableDatabase(
      "fragile",
      `${name} can lose answered payments when it fails over: a commit waits for ${durability.durability}`,
    );
  }
}
