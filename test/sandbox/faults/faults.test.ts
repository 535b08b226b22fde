import { afterAll, afterEach, expect, mock, spyOn, test } from "bun:test";
import fc from "fast-check";
import { FAULT_MEMBERS, membersOfKinds } from "../../../sandbox/control/shapes/faults.ts";
import { disconnect } from "../../../sandbox/faults/disconnect.ts";
import { type AnyFaultKind, type Exchange, faultKind, type Struck } from "../../../sandbox/faults/kind.ts";
import { FAULT_NAMES, FAULTS, fieldsOf } from "../../../sandbox/faults/kinds.ts";
import { FaultPlan } from "../../../sandbox/faults/plan.ts";
import { rate } from "../../../sandbox/faults/rate.ts";
import { fail, type Reply } from "../../../src/http/reply.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { rethrow } from "../../support/rethrow.ts";
import { payment, readAnswer, useScene } from "../../support/scene.ts";

afterAll(cleanUp);

const MINUTE_MS = 60_000;
const POLL = "/status.php";

function limitedTo(per_minute: number) {
  const plan = new FaultPlan(rethrow);
  const headers = new Headers();
  plan.replace(0, [{ kind: "rate", per_minute, probability: 1 }]);
  return {
    plan,
    passes: (atMs: number, operation = POLL) => plan.strike({ operation, atMs, headers }) === null,
    /** Its answer to a request that does not pass. */
    async refusal(atMs: number) {
      const struck = plan.strike({ operation: POLL, atMs, headers });
      if (!struck) throw new Error("it passes");
      const kept = struck.kept as Record<string, number[]>;
      const never = () => Promise.reject(new Error("it is not carried out"));
      const exchange = { operation: POLL, atMs, headers, kept, fail, carryOut: never, wait: never };
      const { status, text, headers: answered } = await rate.strike(struck.fault, exchange);
      return { status, text, retryAfter: answered.get("Retry-After") };
    },
  };
}

test("so many requests of each operation pass in a minute; the others are 429, and Retry-After says when one passes", async () => {
  const { passes, refusal } = limitedTo(2);
  expect([passes(0), passes(10_500), passes(20_000), passes(20_000, "/stkpush.php")]).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect(await refusal(30_500)).toEqual({
    status: 429,
    text: '{"success":false,"message":"fault injected: more than 2 in a minute; try again after 30 s"}',
    retryAfter: "30",
  });
  expect((await refusal(MINUTE_MS - 1)).retryAfter).toBe("1");
  expect([passes(MINUTE_MS), passes(MINUTE_MS), passes(MINUTE_MS + 10_500)]).toEqual([true, false, true]);
});

test("whatever the times of the requests, no minute has more than the limit, and none below it is refused", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 30_000 }), { maxLength: 100 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), gaps, (limit, waits) => {
      const { passes } = limitedTo(limit);
      const passed: number[] = [];
      let nowMs = 0;
      for (const wait of waits) {
        nowMs += wait;
        const recent = passed.filter((atMs) => nowMs - atMs < MINUTE_MS);
        expect(passes(nowMs)).toBe(recent.length < limit);
        if (recent.length < limit) passed.push(nowMs);
      }
    }),
  );
});

test("a machine whose clock is set back or forward by hours lets requests pass at once", () => {
  const { passes } = limitedTo(1);
  const hours = 5 * 3_600_000;
  expect([passes(hours), passes(0), passes(hours), passes(hours + 1)]).toEqual([true, true, true, false]);
});

test("servers that share a database count together, and a snapshot keeps the count", () => {
  const { plan, passes } = limitedTo(1);
  const other = limitedTo(1);
  expect([plan.isCounted(POLL), passes(0)]).toEqual([true, true]);
  other.plan.load(JSON.parse(JSON.stringify(plan.save())));
  expect([other.passes(1), other.passes(MINUTE_MS)]).toEqual([false, true]);
});

const sandbox = useScene();

test("a client over the limit is not carried out and not blamed", async () => {
  const faults = [{ kind: "rate", per_minute: 1, path: "/stkpush.php" }];
  await sandbox.control("PUT", "/faults", { faults });
  const push = (reference: string, phone: string) =>
    sandbox.ask("POST", "/stkpush.php", { json: { ...payment(sandbox.caller), reference, phone } });
  const again = () => push("ORDER-2", "0722000000");
  const pushed = [await push("ORDER-1", "0711000000"), await again(), await again()];
  expect(pushed.map(({ status }) => status)).toEqual([200, 429, 429]);
  expect(await sandbox.list()).toHaveLength(1);
  expect((await sandbox.logged()).slice(0, 3).map(({ fault }) => fault)).toEqual([null, "rate", "rate"]);
  await sandbox.control("DELETE", "/faults");
  expect((await again()).status).toBe(200);
  const { findings } = await sandbox.control("GET", "/audit");
  expect(findings).toEqual([]);
});

/** What a kind can make of an exchange, each tried in the place of one that exists. */

afterEach(() => void mock.restore());

async function striking(strike: (exchange: Exchange) => Promise<Struck>): Promise<void> {
  spyOn(disconnect, "strike").mockImplementation((_fault, exchange) => strike(exchange));
  await sandbox.control("PUT", "/faults", { faults: [{ kind: "disconnect", times: 1 }] });
}

const list = (headers: Record<string, string> = {}) => sandbox.handle(requestFor("/transactions.php", headers));

const requestFor = (path: string, headers: Record<string, string>) =>
  new Request(`http://127.0.0.1:2547/v2${path}`, {
    headers: { Host: "127.0.0.1:2547", ...sandbox.caller.headers, ...headers },
  });

async function lastLogged() {
  const { status, delivered, answer } = (await sandbox.logged()).at(-1) ?? {};
  return { status, delivered, answer };
}

test("it redirects to an address, and nothing is carried out", async () => {
  const headers = new Headers({ Location: "https://other.example/" });
  await striking(async () => ({ status: 302, text: "", headers }));
  const answer = await list();
  expect([answer.status, answer.headers.get("Location"), await answer.text()]).toEqual([
    302,
    "https://other.example/",
    "",
  ]);
  expect(await lastLogged()).toEqual({ status: 302, delivered: true, answer: "" });
});

test("it sends something else than what the log has", async () => {
  await striking(async ({ carryOut }) => ({ ...(await carryOut()), response: new Response("{}", { status: 206 }) }));
  const answer = await list();
  expect([answer.status, await answer.text()]).toEqual([206, "{}"]);
  expect((await lastLogged()).status).toBe(200);
});

test("it reads the headers of the request", async () => {
  await striking(async ({ headers, fail }) => fail(409, `with the key ${headers.get("Idempotency-Key")}`));
  const { status, body } = await readAnswer(await list({ "Idempotency-Key": "K-1" }));
  expect([status, body.message]).toEqual([409, "with the key K-1"]);
});

function turned(own: Reply): Pick<Reply, "status" | "text" | "headers"> {
  const transactions = (own.said.transactions as unknown[]).toReversed();
  return { ...own, text: JSON.stringify({ ...own.said, transactions }) };
}

test.each([
  ["it tells all of the operation's own answer", true, []],
  ["it tells less", false, ["end_not_learned"]],
] as const)("the audit knows what the client can learn from a changed list: %s", async (_what, tellsAll, kinds) => {
  await sandbox.control("DELETE", "/audit");
  const ids = [await sandbox.pay({ reference: "A-1" }), await sandbox.pay({ reference: "B-1", phone: "0722000000" })];
  await sandbox.advance(10_000);
  await striking(async ({ carryOut }) => ({ ...turned(await carryOut()), ...(tellsAll && { tellsAll }) }));
  const { body } = await readAnswer(await list());
  expect((body.transactions as { checkout_request_id: string }[]).map((row) => row.checkout_request_id)).toEqual(ids);
  const { findings } = (await sandbox.control("GET", "/audit?over=true")) as { findings: { kind: string }[] };
  expect(findings.map(({ kind }) => kind)).toEqual([...kinds]);
});

const having = (name: string): AnyFaultKind =>
  faultKind({ ...disconnect, members: ({ z }) => ({ [name]: z.string() }), inWords: () => "", check: () => {} });

test.each([
  [
    "that another kind has",
    { one: having("size"), other: having("size") },
    "the fault other has a member size, which one has",
  ],
  ["that every fault has", { one: having("path") }, "the fault one has a member path, which every fault has"],
])("a member belongs to one kind: one %s is refused", (_whose, kinds, message) => {
  expect(() => membersOfKinds(kinds)).toThrow(message);
});

test("each member has a description; what a kind needs and what the page offers are members of it", () => {
  expect(FAULT_MEMBERS.filter(({ schema }) => !schema.description)).toEqual([]);
  for (const kind of FAULT_NAMES) {
    const { needs = [] }: AnyFaultKind = FAULTS[kind];
    const own = FAULT_MEMBERS.filter((member) => member.kind === kind).map(({ name }) => name);
    for (const name of [...needs, ...Object.keys(fieldsOf(kind))]) expect(own).toContain(name);
  }
});
