import { SQL } from "bun";
import { createNetwork } from "../../sandbox/network/network.ts";
import { createService } from "../../src/service/service.ts";
import { createGroup } from "../../src/store/postgres/group.ts";
import { INSERT } from "../../src/store/postgres/transactions.ts";
import { stopwatch, systemClock, systemRandom } from "../../src/system.ts";
import { openEngine } from "../../test/support/postgres.ts";
import { orderTo, ROWS } from "../../test/support/shop.ts";

/**
 * A process that starts payments: `momo` with the service, `bare` with the same statement in the same groups and without the service.
 * It prints how many it started, how long one took, and its processor time.
 */
const [mode, url = "", seconds] = Bun.argv.slice(2);
const CLIENTS = 64;

process.on("unhandledRejection", (error) => {
  console.error(error);
  process.exit(1);
});
const { pay, stop } = await (mode === "momo" ? startMomo() : startBare());
// The first payments are slower: their code is compiled.
await Promise.all(
  Array.from({ length: CLIENTS }, async () => {
    for (let count = 0; count < 100; count += 1) await pay();
  }),
);

const took: number[] = [];
const before = process.cpuUsage();
const endMs = stopwatch() + Number(seconds) * 1000;
await Promise.all(
  Array.from({ length: CLIENTS }, async () => {
    while (stopwatch() < endMs) {
      const sentMs = stopwatch();
      await pay();
      took.push(stopwatch() - sentMs);
    }
  }),
);
const { user, system } = process.cpuUsage(before);
took.sort((a, b) => a - b);
const p99Ms = took[Math.floor(took.length * 0.99)] ?? 0;
process.stdout.write(`${JSON.stringify({ count: took.length, p99Ms, cpuUs: user + system })}\n`);
await stop();
process.exit(0);

async function startMomo() {
  const store = await openEngine(url, { connections: 8 });
  const network = createNetwork({ fallback: { outcome: "manual" }, reportFault: console.error });
  const parts = { clock: systemClock, realClock: systemClock, random: systemRandom, promptTimeoutMs: 3_600_000 };
  const service = createService({ store, provider: network, ...parts, reportFault: console.error });
  return {
    pay: () => service.startPayment(1, orderTo(1, { reference: "ORDER-1" })),
    stop: async () => {
      await service.resolver.stop();
      store.close();
    },
  };
}

async function startBare() {
  const { hostname, port, username, pathname } = new URL(url);
  const login = { hostname, port, username, database: pathname.slice(1) };
  const sql = new SQL({ adapter: "postgres", ...login, max: 2, prepare: false });
  const [row] = await sql.unsafe("SELECT nextval('transaction_numbers')::float8 * 1000 AS first");
  let next = Number(row.first);
  const newRow = () => {
    const nowMs = Date.now();
    next += 1;
    const dueMs = nowMs + 3_600_000;
    const more = {
      reference: "ORDER-1",
      memo: "a memo",
      created_at_ms: nowMs,
      expires_at_ms: dueMs,
      check_at_ms: dueMs,
    };
    return { ...ROWS.transactions, id: next, ...more };
  };
  const group = createGroup<null, null>({
    lanes: 2,
    waitMs: 60_000,
    stopwatch,
    async run(items, lane) {
      await sql.unsafe(INSERT, [JSON.stringify(items.map(newRow)), `bench/i${lane}`]);
      return items;
    },
  });
  return { pay: () => group.add(null), stop: () => sql.close({ timeout: 0 }) };
}
