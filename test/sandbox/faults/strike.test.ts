import { afterAll, afterEach, expect, mock, spyOn, test } from "bun:test";
import { disconnect } from "../../../sandbox/faults/disconnect.ts";
import type { Exchange, Struck } from "../../../sandbox/faults/kind.ts";
import type { Reply } from "../../../src/http/reply.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { readAnswer, useScene } from "../../support/scene.ts";

/** What a kind can make of an exchange, each tried in the place of one that exists. */

afterAll(cleanUp);
afterEach(() => void mock.restore());

const sandbox = useScene();

async function striking(strike: (exchange: Exchange) => Promise<Struck>): Promise<void> {
  spyOn(disconnect, "strike").mockImplementation((_fault, exchange) => strike(exchange));
  await sandbox.control("PUT", "/faults", { faults: [{ kind: "disconnect", times: 1 }] });
}

const list = (headers: Record<string, string> = {}) => sandbox.handle(requestFor("/transactions.php", headers));

const requestFor = (path: string, headers: Record<string, string>) =>
  new Request(`http://127.0.0.1:2547/v2${path}`, {
    headers: { Host: "127.0.0.1:2547", ...sandbox.caller.headers, ...headers },
  });

/** What the log has of the last request. */
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

/** The list with the oldest rows first. */
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
