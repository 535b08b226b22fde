import { afterAll, describe, expect, test } from "bun:test";
import { faultsRequest } from "../../../sandbox/control/faults.ts";
import type { Fault } from "../../../sandbox/control/shapes/faults.ts";
import { FaultPlan } from "../../../sandbox/faults/plan.ts";
import { drawSeed } from "../../../src/domain/random.ts";
import { ambiguousPath } from "../../../src/http/reply.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { connectTo } from "../../support/connection.ts";
import { serveMomo } from "../../support/momo.ts";
import { seededRandom } from "../../support/random.ts";
import { rethrow } from "../../support/rethrow.ts";
import { HOST, openScene, payment, useScene } from "../../support/scene.ts";

const sandbox = useScene();
afterAll(cleanUp);

const put = (faults: object[], seed?: number) => sandbox.control("PUT", "/faults", { faults, seed });
const push = () => sandbox.ask("POST", "/stkpush.php", { json: payment(sandbox.caller) });
const list = () => sandbox.ask("GET", "/transactions.php");

test("delay: the operation is carried out later, in real time", async () => {
  await put([{ kind: "delay", delay: "400ms", path: "/stkpush.php" }]);
  const startedMs = performance.now();
  expect((await push()).status).toBe(200);
  expect(performance.now() - startedMs).toBeGreaterThan(395);
  const [logged] = await sandbox.logged();
  expect(logged).toMatchObject({ fault: "delay", status: 200 });
  expect(Number(logged?.duration_ms)).toBeGreaterThan(395);
  expect(await sandbox.list()).toHaveLength(1);
});

test("with a seed, durations are those of the sandbox's clock: 0 while it is frozen", async () => {
  const { ask, caller, control, logged, refuse, close } = await openScene({ seed: "a seed" });
  const payLate = async () => {
    await control("PUT", "/faults", { faults: [{ kind: "delay", delay: "50ms", path: "/stkpush.php", times: 1 }] });
    await ask("POST", "/stkpush.php", { json: payment(caller) });
  };
  await payLate();
  const slowBody = new ReadableStream({ start: (body) => void setTimeout(() => body.close(), 1) });
  const request = new Request(`http://${HOST}/v2/x%2Fy`, { method: "POST", headers: { Host: HOST }, body: slowBody });
  await refuse(request, ambiguousPath(), "/v2/x%2Fy");
  expect((await logged()).map(({ duration_ms }) => duration_ms)).toEqual([0, 0]);
  await control("POST", "/clock", { resume: true });
  await payLate();
  expect(Number((await logged()).at(-1)?.duration_ms)).toBeGreaterThan(45);
  await close();
});

test("other requests need not wait for one that is delayed", async () => {
  const { ask, caller, control, endStreams, close } = await openScene();
  await control("PUT", "/faults", { faults: [{ kind: "delay", delay: "1h", path: "/stkpush.php" }] });
  const delayed = ask("POST", "/stkpush.php", { json: payment(caller) });
  expect((await ask("GET", "/transactions.php")).body).toMatchObject({ transactions: [] });
  endStreams();
  expect((await delayed).status).toBe(503);
  await close();
});

test.each<[fault: object, status: number, body: string, headers: Record<string, string>]>([
  [
    { body: "<html>Bad gateway</html>", content_type: "text/html", status: 502 },
    502,
    "<html>Bad gateway</html>",
    { "content-type": "text/html" },
  ],
  [{ body: "" }, 500, "", { "content-type": "text/plain; charset=utf-8" }],
  [
    { message: "Insufficient service balance", headers: { "Retry-After": "7" } },
    500,
    '{"success":false,"message":"Insufficient service balance"}',
    { "retry-after": "7" },
  ],
  [{ body: "aé", cut_after: 2 }, 500, "a", {}],
  [{ cut_after: 10 }, 500, '{"success"', { "content-type": "application/json" }],
  [{ status: 200, carried_out: true, cut_after: 15 }, 200, '{"success":true', {}],
])("an error answers with the bytes and the headers that it has: %j", async (fault, status, body, headers) => {
  await put([{ kind: "error", ...fault }]);
  const answer = await sandbox.handle(
    new Request(`http://${HOST}/v2/transactions.php`, { headers: sandbox.caller.headers }),
  );
  expect({ status: answer.status, body: await answer.text() }).toEqual({ status, body });
  expect(Object.fromEntries(answer.headers)).toMatchObject(headers);
});

test("an error after the work: the payment exists, and its story has the request", async () => {
  await put([{ kind: "error", status: 504, carried_out: true, path: "/stkpush.php", times: 1 }]);
  expect((await push()).status).toBe(504);
  const [payment] = await sandbox.list();
  const { requests } = await sandbox.control("GET", `/transactions/${payment?.checkout_request_id}`);
  expect(requests).toMatchObject([{ status: 504, fault: "error" }]);
});

test("an error that sends the operation's whole answer hides nothing from the client", async () => {
  await put([{ kind: "error", status: 200, carried_out: true, headers: { "Retry-After": "5" }, times: 1 }]);
  await push();
  await push();
  const { findings } = await sandbox.control("GET", "/audit");
  expect(JSON.stringify(findings)).toContain("The first payment was still pending");
});

test("the log has the body of a request that a fault answers with 200", async () => {
  await put([{ kind: "error", status: 200, body: "<html>" }]);
  const init = { method: "POST", headers: sandbox.caller.headers, body: "what came" };
  await sandbox.handle(new Request(`http://${HOST}/v2/stkpush.php`, init));
  expect(await sandbox.logged()).toMatchObject([{ status: 200, answer: "<html>", body: "what came" }]);
});

test.each(["/v2", "/api/v2"])("a fault of one operation strikes it at %s", async (base) => {
  await put([{ kind: "error", status: 503, path: "/status.php" }]);
  const init = { method: "POST", headers: sandbox.caller.headers };
  expect((await sandbox.handle(new Request(`http://${HOST}${base}/status.php`, init))).status).toBe(503);
});

test("disconnect: on a real connection no answer arrives, but the payment exists; nothing is printed to stderr", async () => {
  const server = await serveMomo();
  const { base_url, api_key, api_secret } = server.ready;
  const order = { payment_account_id: 1, phone: "0712345678", amount: 100 };
  const body = JSON.stringify(order);
  await server.control("PUT", "/faults", { faults: [{ kind: "disconnect", path: "/stkpush.php", times: 2 }] });
  const client = await connectTo(base_url);
  const headers = `Host: x\r\nContent-Type: application/json\r\nX-API-Key: ${api_key}\r\nX-API-Secret: ${api_secret}\r\n`;
  client.write(`POST /v2/stkpush.php HTTP/1.1\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`);
  await client.closed;
  expect(client.received.text).toBe("");
  // An HTTP client gets an error instead of an answer.
  expect(await server.pay().catch(() => "no answer")).toBe("no answer");

  expect(await server.list()).toMatchObject([{ amount: 100 }, { amount: 100 }]);
  const lost = { fault: "disconnect", status: null, answer: null, body };
  const { requests } = await server.control("GET", "/requests");
  expect(requests).toMatchObject([lost, lost, { fault: null, status: 200 }]);
  await server.pay();
  expect(await server.stop()).toBe(0);
  expect(server.child.stderr.text).toBe("");
});

describe("probability and seed", () => {
  const HALF = { kind: "error", probability: 0.5 };
  const statuses = async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, list));
    return answers.map(({ status }) => status);
  };

  test("the same seed gives the same faults, also a seed that was drawn; another seed gives others", async () => {
    const { seed } = await put([HALF]);
    const first = await statuses();
    expect(new Set(first)).toEqual(new Set([200, 500]));
    await put([HALF], Number(seed));
    expect(await statuses()).toEqual(first);
    expect(await put([HALF], 0)).toMatchObject({ seed: 0 });
    expect(await statuses()).not.toEqual(first);
  });

  test("every seed that is drawn is a valid input", () => {
    const random = seededRandom(9);
    for (let count = 0; count < 20; count++) {
      expect(faultsRequest.safeParse({ faults: [], seed: drawSeed(random) }).success).toBe(true);
    }
  });

  const POLL = { operation: "/status.php", atMs: 0, headers: new Headers() };
  const fault = (probability: number, changes: Partial<Fault> = {}): Fault => ({
    ...{ kind: "disconnect", probability },
    ...changes,
  });
  /** How many of these requests are struck. */
  function struck(seed: number, requests: number, only: Fault): number {
    const faults = new FaultPlan(rethrow);
    faults.replace(seed, [only]);
    return Array.from({ length: requests }, () => faults.strike(POLL)).filter((what) => what !== null).length;
  }

  test.each([0.05, 0.3, 0.5, 0.9])(
    "a probability of %d strikes about as often, also the first request",
    (probability) => {
      // With this seed the generator begins at zero.
      expect(struck(0x9e3779b9, 10_000, fault(probability)) / 10_000).toBeWithin(
        probability - 0.02,
        probability + 0.02,
      );
      const firsts = Array.from({ length: 2000 }, (_, seed) => struck(seed, 1, fault(probability)));
      expect(firsts.filter((count) => count === 1).length / 2000).toBeWithin(probability - 0.05, probability + 0.05);
    },
  );

  test("a plan that is restored draws on from where it was saved", () => {
    const plan = new FaultPlan(rethrow);
    const draw = () => Array.from({ length: 50 }, () => plan.strike(POLL) !== null);
    plan.replace(7, [fault(0.5)]);
    draw();
    const saved = plan.save();
    const next = draw();
    plan.load(saved);
    expect(draw()).toEqual(next);
  });

  test.each<[what: string, change: (plan: FaultPlan) => void, goesOn: boolean]>([
    ["another fault is added", (plan) => plan.add(7, [fault(1, { path: "/stkpush.php" })]), true],
    ["it is removed", (plan) => plan.remove(String(plan.add(7, [fault(1, { path: "/stkpush.php" })])[0])), true],
    [
      "all are removed, and one is added",
      (plan) => {
        plan.remove("1");
        plan.add(7, [fault(0.5)]);
      },
      false,
    ],
    ["one is added with another seed", (plan) => plan.add(8, [fault(1, { path: "/stkpush.php" })]), false],
    ["the same faults are sent again", (plan) => plan.replace(7, [fault(0.5)]), false],
    ["the faults are sent again as they are", (plan) => plan.replace(7, plan.faults), false],
  ])("the draws go on, or begin anew: %s", (_what, change, goesOn) => {
    const [changed, alone, anew] = [new FaultPlan(rethrow), new FaultPlan(rethrow), new FaultPlan(rethrow)];
    const draw = (plan: FaultPlan) => Array.from({ length: 50 }, () => plan.strike(POLL) !== null);
    for (const plan of [changed, alone]) plan.replace(7, [fault(0.5)]);
    draw(changed);
    draw(alone);
    change(changed);
    anew.replace(changed.seed, [fault(0.5)]);
    expect(draw(changed)).toEqual(draw(goesOn ? alone : anew));
  });

  test("the same faults again begin anew after one was used up, also after a restore", () => {
    const plan = new FaultPlan(rethrow);
    const draw = () => Array.from({ length: 50 }, () => plan.strike(POLL) !== null);
    const faults = [fault(1, { times: 1 }), fault(0.5)];
    plan.replace(7, faults);
    const first = draw();
    plan.load(plan.save());
    plan.replace(7, faults);
    expect(draw()).toEqual(first);
  });

  test("what a fault has counted is forgotten when it is used up or removed", () => {
    const plan = new FaultPlan(rethrow);
    plan.replace(7, [fault(1, { kind: "rate", per_minute: 1 }), fault(1, { kind: "rate", per_minute: 1, times: 1 })]);
    const keptOf = () => Object.keys(plan.save().kept);
    plan.strike(POLL);
    expect(keptOf()).toEqual(["1", "2"]);
    plan.remove("1");
    expect(keptOf()).toEqual(["2"]);
    expect(plan.strike(POLL)?.fault).toMatchObject({ times: 1 });
    expect(keptOf()).toEqual([]);
  });

  test.each<[Fault, path: string, isCounted: boolean]>([
    [fault(0.5), "/status.php", true],
    [fault(1, { times: 2 }), "/status.php", true],
    [fault(1), "/status.php", false],
    [fault(0.5, { path: "/stkpush.php" }), "/status.php", false],
  ])("several servers decide together if one decision changes the next: %j, for %s", (one, path, isCounted) => {
    const plan = new FaultPlan(rethrow);
    plan.replace(7, [one]);
    expect(plan.isCounted(path)).toBe(isCounted);
  });

  test("a fault that does not strike is not counted, and the next fault may strike", () => {
    const plan = new FaultPlan(rethrow);
    plan.replace(3, [fault(1e-9, { times: 1 }), fault(1, { kind: "error", status: 502 })]);
    expect(plan.strike(POLL)?.fault).toMatchObject({ status: 502 });
    expect(plan.faults[0]?.times).toBe(1);
    expect(struck(3, 100, fault(0.5, { times: 3 }))).toBe(3);
  });
});
