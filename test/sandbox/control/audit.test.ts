import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { startReceiver } from "../../support/fake-server.ts";
import { createManualClock, type ManualClock } from "../../support/manual-clock.ts";
import { startIn } from "../../support/sandbox.ts";
import { HOST, useScene } from "../../support/scene.ts";
import { START_MS } from "../../support/service.ts";
import { until } from "../../support/waiting.ts";

const sandbox = useScene();
afterAll(cleanUp);

const kinds = async () =>
  ((await sandbox.control("GET", "/audit")).findings as { kind: string }[]).map(({ kind }) => kind);

const BLIND_PHONE = "254700000001";

async function payBlindly(reference: string): Promise<void> {
  await sandbox.control("PUT", "/faults", { faults: [{ path: "/stkpush.php", kind: "disconnect", times: 1 }] });
  await sandbox.pay({ phone: BLIND_PHONE, reference }).catch(() => {});
}

/** A server in a time that the test moves. */
async function newServer() {
  const clock = createManualClock(START_MS);
  const server = await startIn(newFolder(), { realClock: clock, stopwatch: () => clock.nowMs() });
  const headers = { ...server.headers, "Content-Type": "application/json" };
  const send = (method: string, path: string, json?: object) =>
    fetch(server.baseUrl + path, { method, headers, ...(json && { body: JSON.stringify(json) }) });
  return { clock, send, control: server.control, pay: server.pay, statusOf: server.statusOf };
}
type Server = Awaited<ReturnType<typeof newServer>>;

/** Resolves when a request is delayed by an hour. */
const untilDelayed = (clock: ManualClock) =>
  until(
    async () => clock.alarmsAtMs.at(-1) ?? 0,
    (atMs) => atMs >= clock.nowMs() + 3_600_000,
  );

describe("GET /_momo/audit", () => {
  test("a payment whose answer was lost may be sent again only after a lookup, also in a list that the log cuts", async () => {
    await payBlindly("LOOKED");
    for (let number = 1; number <= 50; number += 1) await sandbox.pay({ reference: `ORDER-${number}`, amount: number });
    await sandbox.advanceClock("3s");
    await sandbox.ask("GET", "/transactions.php?limit=100");
    await sandbox.pay({ phone: BLIND_PHONE, reference: "LOOKED" });
    await sandbox.advanceClock("3s");
    expect(await kinds()).toEqual([]);
    await payBlindly("BLIND");
    await sandbox.advanceClock("3s");
    await sandbox.pay({ phone: BLIND_PHONE, reference: "BLIND" });
    expect(await kinds()).toEqual(["repeats_blindly"]);
  });

  test("refusals that differ only in the values that came are one", async () => {
    const { send, control } = await newServer();
    for (const query of ["limit=101", "limit=x", "limit=0&limit=1"]) await send("GET", `/transactions.php?${query}`);
    const message = 'limit must be a whole number from 1 to 100; it is "101"';
    const once = { status: 400, message: "limit is given twice: give it once", count: 1 };
    const { refused, findings } = await control("GET", "/audit");
    expect<unknown>(refused).toEqual([{ status: 400, message, count: 2 }, once]);
    expect(findings).toMatchObject([{ request_ids: [1, 2] }, { request_ids: [3] }]);
    await control("DELETE", "/audit");
    const push = { payment_account_id: 1, phone: "0712345678" };
    for (const amount of [1.005, 2.333, 0, 2_000_000_000]) await send("POST", "/stkpush.php", { ...push, amount });
    const { findings: ofAmounts } = await control("GET", "/audit");
    expect(ofAmounts).toMatchObject([{ kind: "refused", count: 4 }]);
  });

  test("a refusal names the lenient form where it takes the request, and to an intercepted program the answer does, too", async () => {
    await sandbox.control("DELETE", "/audit");
    const push = { payment_account_id: sandbox.caller.accountId, phone: "712345678", amount: 100 };
    const plain = await sandbox.send({ path: "/stkpush.php", json: push });
    expect(plain.body.message).not.toContain("lenient");
    const headers = { ...sandbox.caller.headers, Host: HOST, "Content-Type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(push) };
    const intercepted = await sandbox.handle(new Request(`https://${HOST}/v2/stkpush.php`, init));
    expect(await intercepted.json()).toHaveProperty(
      "message",
      `${plain.body.message}; momo exec --accept lenient takes it, for a program that stays as it is`,
    );
    await sandbox.send({ path: "/stkpush.php", json: { ...push, phone: "0712345678", amount: "100" } });
    await sandbox.send({ path: "/stkpush.php", json: { ...push, phone: "0712345678", amount: 0 } });
    const { findings } = await sandbox.control("GET", "/audit?over=true");
    const named = (findings as { kind: string; advice: string }[]).map(({ kind, advice }) => [
      kind,
      advice.includes("--accept lenient"),
    ]);
    expect(named.toSorted((a, b) => `${a}`.localeCompare(`${b}`))).toEqual([
      ["nothing_accepted", true],
      ["number_as_text", true],
      ["refused", false],
      ["refused", true],
    ]);
  });

  test("a delayed request causes no finding: its client waits for the answer", async () => {
    const { clock, control, pay, statusOf } = await newServer();
    const id = await pay();
    await control("PUT", "/faults", { faults: [{ kind: "delay", delay: "1h", times: 1 }] });
    const delayed = statusOf(id);
    await untilDelayed(clock);
    clock.advance(40_000);
    expect(await control("GET", "/audit")).toMatchObject({ findings: [] });
    clock.advance(3_600_000);
    await delayed;
  });

  test("a client that never asks is excused by a webhook that somebody takes", async () => {
    const { clock, control, pay } = await newServer();
    let status = 419;
    const { url } = startReceiver(() => new Response(null, { status }));
    await control("PUT", "/webhook", { url });
    await pay();
    clock.advance(3000);
    const found = () => control("GET", "/audit?over=true");
    const sent = {
      findings: [{ message: expect.stringContaining("HTTP 419") }],
      deliveries: { sent: 1, not_taken: 1 },
    };
    expect(await until(found, ({ deliveries }) => (deliveries as { sent: number }).sent > 0)).toMatchObject(sent);
    status = 204;
    clock.advance(1000);
    const taken = ({ deliveries }: object & { deliveries?: unknown }) =>
      (deliveries as { not_taken: number }).not_taken === 0;
    expect(await until(found, taken)).toMatchObject({ findings: [{ kind: "end_not_learned", severity: "note" }] });
  });
});

test("DELETE /_momo/audit: findings and counts go, and a payment under way is judged when it ends", async () => {
  await sandbox.control("DELETE", "/audit");
  const [followed = "", left = ""] = [await sandbox.pay({ phone: "0711111111" }), await sandbox.pay()];
  await sandbox.ask("GET", "/transactions.php?sort=x");
  expect(await kinds()).toEqual(["unknown_parameter"]);
  await sandbox.control("DELETE", "/audit");
  expect(await kinds()).toEqual([]);
  await sandbox.advanceClock("3s");
  await sandbox.statusOf(followed);
  expect(await sandbox.control("GET", "/audit?over=true")).toMatchObject({
    requests: 1,
    payments: { started: 2, paid: 2, not_learned: 1 },
    findings: [{ kind: "end_not_learned", severity: "error", checkout_request_id: left }],
  });
});

describe("the audit is as on a new server", () => {
  /** Many mistakes, and what the audit says of them, without ids and times. */
  async function mistakesAt({ clock, send, control, pay, statusOf }: Server) {
    await send("POST", "/status.php", {});
    const id = await pay({ reference: "A" });
    for (const waitMs of [1000, 1000, 3000, 3000]) {
      clock.advance(waitMs);
      await statusOf(id);
    }
    await pay({ reference: "B" });
    clock.advance(700);
    await pay({ reference: "C" });
    await pay({ reference: "C", phone: "0722222222" });
    await send("POST", "/status.php", { checkout_request_id: id.toLowerCase() });
    await send("GET", "/status.php");
    await send("GET", "/transactions.php?reference=C");
    await send("POST", "/pay.php", {});
    await pay({ reference: "D", phone: "0733333333" });
    await send("POST", "/stkpush.php", { phone: "07" });
    clock.advance(40_000);
    await control("POST", "/clock", { advance: "1s" });
    const report = JSON.stringify(await control("GET", "/audit"));
    const { findings, ...rest } = JSON.parse(report.replaceAll(/ws_CO_\w+/gi, "ID"));
    const facts = (findings as { request_ids: number[]; first_at: string; examples: object[] }[]).map(
      ({ first_at: _at, request_ids, examples, ...finding }) => ({
        ...finding,
        requests: request_ids.length,
        examples: examples.length,
      }),
    );
    return { ...rest, findings: facts };
  }

  async function expectAsNew(server: Server) {
    server.clock.advance(1);
    const expected = await mistakesAt(await newServer());
    expect(expected.findings.length).toBeGreaterThan(8);
    expect(await mistakesAt(server)).toEqual(expected);
  }

  test("after a delay fault has ended", async () => {
    const server = await newServer();
    const { clock, send, control } = server;
    await control("PUT", "/faults", { faults: [{ kind: "delay", delay: "1h", times: 1 }] });
    const delayed = send("GET", "/transactions.php");
    await untilDelayed(clock);
    clock.advance(3_600_000);
    await delayed;
    await control("DELETE", "/audit");
    await expectAsNew(server);
  });

  test.each([
    ["POST", "/reset"],
    ["POST", "/snapshots/start/restore"],
    ["DELETE", "/audit"],
  ])("after mistakes and %s %s", async (method, path) => {
    const server = await newServer();
    await server.control("PUT", "/snapshots/start", {});
    await mistakesAt(server);
    await server.control(method, path);
    if (method === "POST") {
      // What was found stays: only its removal makes the audit as new.
      expect((await server.control("GET", "/audit")).findings).not.toEqual([]);
      await server.control("DELETE", "/audit");
    }
    await expectAsNew(server);
  });
});
