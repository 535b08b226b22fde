import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Finding } from "../../../sandbox/audit/shape.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { connectTo, exchange, linesOf } from "../../support/connection.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { type Sandbox, startIn } from "../../support/sandbox.ts";
import { START_MS } from "../../support/service.ts";
import { until } from "../../support/waiting.ts";

/** Answers that their client did not get, on real connections: the log and the audit know it. */

let clock: ManualClock;
let sandbox: Sandbox;
beforeAll(async () => {
  clock = createManualClock(START_MS);
  sandbox = await startIn(newFolder(), { realClock: clock, stopwatch: () => clock.nowMs() });
});
afterAll(cleanUp);

function requestOf(method: string, path: string, body = ""): string {
  const { host } = new URL(sandbox.baseUrl);
  const headers = { Host: host, ...sandbox.headers, "Content-Type": "application/json", "Content-Length": body.length };
  return `${method} /v2${path} HTTP/1.1\r\n${linesOf(headers as never)}\r\n${body}`;
}

const pushOf = (reference: string) =>
  requestOf(
    "POST",
    "/stkpush.php",
    JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 5, reference }),
  );
const LIST = requestOf.bind(null, "GET", "/transactions.php?limit=1");

/** The requests of the log, such as `POST /stkpush.php 200 lost`. */
async function logged(): Promise<string[]> {
  const { requests } = await sandbox.control("GET", "/requests");
  const entries = requests as { method: string; target: string; status: number; delivered: boolean }[];
  return entries.map(
    ({ method, target, status, delivered }) =>
      `${method} ${target.replace(/^\/v2|\?.*/g, "")} ${status} ${delivered ? "delivered" : "lost"}`,
  );
}

async function audited() {
  const { findings, ...tally } = await sandbox.control("GET", "/audit?over=true");
  return { lost: tally.answers_not_delivered, findings: findings as unknown as Finding[] };
}

const PUSH_LOST = "POST /stkpush.php 200 lost";

const CASES: readonly [what: string, sent: () => string, got: number[]][] = [
  ["bytes behind the body, as old clients send them", () => `${pushOf("A")}\r\n`, [400]],
  ["another request behind it", () => pushOf("A") + LIST(), []],
];

test.each(CASES)("a push with %s: stored, and its answer is lost", async (_what, sent, got) => {
  await sandbox.control("POST", "/reset", {});
  await sandbox.control("DELETE", "/audit");
  const { answers } = await exchange(sandbox.baseUrl, sent());
  expect(answers.map(({ status }) => status)).toEqual(got);
  expect(await until(logged, (log) => log.length > 0)).toEqual([PUSH_LOST]);
  await sandbox.control("POST", "/clock", { advance: "3s" });
  const { lost, findings } = await audited();
  expect(lost).toBe(1);
  expect(findings).toMatchObject([
    { kind: "end_not_learned", message: expect.stringContaining("did not get the answer to its push"), count: 1 },
  ]);
});

test("a client that is gone before its delayed push is answered: a second push charges twice", async () => {
  await sandbox.control("POST", "/reset", {});
  await sandbox.control("DELETE", "/audit");
  await sandbox.control("PUT", "/faults", { faults: [{ kind: "delay", delay: "1h", path: "/stkpush.php", times: 1 }] });
  const { write, end, closed } = await connectTo(sandbox.baseUrl);
  write(pushOf("A"));
  await until(
    async () => clock.alarmsAtMs.at(-1) ?? 0,
    (atMs) => atMs >= clock.nowMs() + 3_600_000,
  );
  end();
  await closed;
  // The server has read the end of that connection before it answers here.
  for (let times = 0; times < 3; times += 1) await sandbox.control("GET", "/clock");
  clock.advance(3_600_000);
  expect(await until(logged, (log) => log.length > 0)).toEqual([PUSH_LOST]);
  await exchange(sandbox.baseUrl, pushOf("A"), { answers: 1 });
  const { findings } = await audited();
  expect(findings.map(({ kind, severity }) => `${severity} ${kind}`)).toContain("error charges_twice");
  expect(findings.find(({ kind }) => kind === "charges_twice")?.message).toContain(
    "answer to the first request was lost",
  );
});

test("a client that sends one request after the other gets each answer", async () => {
  await sandbox.control("POST", "/reset", {});
  await sandbox.control("DELETE", "/audit");
  const { answers } = await exchange(sandbox.baseUrl, pushOf("A"), { next: LIST(), answers: 2 });
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(await logged()).toEqual(["POST /stkpush.php 200 delivered", "GET /transactions.php 200 delivered"]);
  expect((await audited()).lost).toBe(0);
});
