import { heapStats } from "bun:jsc";
import { expect, test } from "bun:test";
import { createWaitingRoom } from "../../../sandbox/control/waiting-room.ts";
import { systemClock } from "../../../src/system.ts";
import { HOST } from "../../support/control.ts";
import { nextTurn } from "../../support/next-turn.ts";
import { expectSoundAnswer } from "../../support/scenario.ts";
import { openWire, type Wire } from "../../support/wire.ts";

const CAPACITY = 10_000;
const BODY = JSON.stringify({ reference: "never", timeout: "24h" });

/** Clients that wait for what never happens, until they go away. */
function fill({ handle }: Wire, count: number, signal: AbortSignal): Promise<Response>[] {
  const headers = { Host: HOST, "Content-Type": "application/json" };
  const init = { method: "POST", headers, body: BODY, signal };
  return Array.from({ length: count }, () => handle(new Request(`http://${HOST}/_momo/wait`, init)));
}

/** Asks without waiting. */
const ask = ({ call }: Wire) => call("POST", "/wait", { json: { reference: "never", timeout: "0s" } });

test("at most 10,000 wait; a client that aborts or closes its connection, also before its call is read, gives up its place", async () => {
  const sandbox = await openWire();
  await Promise.all(fill(sandbox, 1, AbortSignal.abort()));
  const head = `POST /_momo/wait HTTP/1.1\r\nHost: ${HOST}\r\nContent-Type: application/json\r\n`;
  const client = await sandbox.open(`${head}Content-Length: ${BODY.length}\r\n\r\n${BODY}`);
  // Answered after it, so that it has its place.
  await sandbox.exchange(`GET /_momo/health HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`);
  const gone = new AbortController();
  const waiting = fill(sandbox, CAPACITY - 1, gone.signal);
  const refused = await ask(sandbox);
  expect(refused.status).toBe(503);
  expectSoundAnswer(refused);
  await client.end();
  while ((await ask(sandbox)).status === 503) await nextTurn();
  gone.abort();
  await Promise.all(waiting);
  expect((await ask(sandbox)).status).toBe(408);
  await sandbox.close();
});

test("a place that is given up leaves nothing behind, also of a payment that nobody asks for again", () => {
  const room = createWaitingRoom({
    service: {
      subscribe: () => () => true,
      isShared: false,
      findByCheckoutRequestId: async () => null,
      findByReference: async () => null,
    },
    realClock: systemClock,
    reportFault: () => {},
  });
  const setsInUse = () => {
    Bun.gc(true);
    return heapStats().objectTypeCounts.Set ?? 0;
  };
  const before = setsInUse();
  for (let index = 0; index < CAPACITY; index += 1)
    room.enter({ reference: `${index}`, accepts: () => true }, () => {})();
  expect(setsInUse() - before).toBeLessThan(CAPACITY / 10);
  expect(room.isFull).toBe(false);
});
