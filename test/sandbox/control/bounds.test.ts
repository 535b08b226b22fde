import { expect, spyOn, test } from "bun:test";
import { createTestPayments } from "../../../sandbox/control/memory.ts";
import type { Outcome } from "../../../src/domain/outcome.ts";
import { resolve } from "../../../src/domain/state-machine.ts";
import { insertDue, useScene } from "../../support/scene.ts";
import { START_MS } from "../../support/service.ts";
import { rejectionOf } from "../../support/waiting.ts";

/** What is too long, too many or too old for a story. */

const sandbox = useScene();

test("at most 1000 rules; one more changes nothing", async () => {
  const rules = (count: number) => Array.from({ length: count }, () => ({ outcome: "cancelled" }));
  await sandbox.control("PUT", "/rules", rules(1000));
  expect(await sandbox.refusal("POST", "/rules", { outcome: "completed" })).toContain("1000");
  expect(await sandbox.refusal("PUT", "/rules", rules(1001))).toContain("1000");
  expect((await sandbox.control("GET", "/rules")).rules).toHaveLength(1000);
});

test("the names of unknown members are cut; a very deep value is refused", async () => {
  const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${"x".repeat(40)}${index}`, 1]));
  const message = await sandbox.refusal("PUT", "/default", { outcome: "completed", ...unknown });
  expect(message.length).toBeLessThan(2000);
  const outcome = JSON.parse("[".repeat(10_000) + "]".repeat(10_000));
  expect(await sandbox.refusal("PUT", "/default", { outcome })).toStartWith("outcome must be the name of an outcome; ");
});

test("at most 100 messages, those that were paid last, even if they started first", async () => {
  const messages = async () =>
    (await sandbox.control("GET", "/messages")).messages as { at_ms: number; checkout_request_id: string }[];
  const id = await sandbox.pay({ phone: "254700000100" });
  await insertDue(sandbox, 101);
  await sandbox.advanceClock("1s");
  const list = await messages();
  expect(list.map(({ at_ms }) => at_ms - START_MS)).toEqual(Array.from({ length: 100 }, (_, index) => 101 - index));
  await sandbox.control("POST", `/prompts/${id}/answer`, { pin: "1234" });
  expect((await messages())[0]).toMatchObject({ checkout_request_id: id });
});

test("of more than 1,000 open prompts, those that are due next", async () => {
  await insertDue(sandbox, 1001);
  const { total, prompts } = await sandbox.control("GET", "/prompts");
  expect(total).toBe(1001);
  const due = (prompts as { expires_at_ms: number }[]).map(({ expires_at_ms }) => expires_at_ms - START_MS - 60_000);
  expect(due).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
});

test("a story has a start whose answer was lost, and a poll whose id is after the part that the log keeps", async () => {
  await sandbox.control("PUT", "/faults", { faults: [{ kind: "disconnect", path: "/stkpush.php", times: 1 }] });
  expect(await rejectionOf(sandbox.pay())).toBeUndefined();
  const [listed] = await sandbox.list();
  const id = String(listed?.checkout_request_id);
  const json = { padding: "x ".repeat(3000), checkout_request_id: id };
  await sandbox.ask("POST", "/status.php", { json });
  expect((await sandbox.control("GET", `/transactions/${id}`)).requests).toMatchObject([
    { status: null, answer: null, fault: "disconnect" },
    { answer: { status: "pending" } },
  ]);
});

test("a result code that momo does not know, as an imported payment can have, is explained by its own text", async () => {
  const id = await sandbox.pay({}, { "X-Sandbox-Outcome": "manual" });
  const { transactions } = sandbox.store;
  const [code, description] = [4999, "The SIM was swapped."];
  const failed = { status: "failed", resultCode: code, resultDesc: description, atMs: START_MS } as unknown as Outcome;
  await transactions.record((await transactions.listPending(1)).map((pending) => resolve(pending, failed)));
  const { result } = await sandbox.control("GET", `/transactions/${id}`);
  expect(result).toEqual({ code, description, meaning: description, advice: "Read the network's own text." });
});

test("a list that its client no longer waits for is given up", async () => {
  const [gone, list] = [new AbortController(), spyOn(sandbox.service, "listTransactions")];
  // With a status, the counts of all statuses are a second query.
  await sandbox.call("GET", "/transactions?status=pending", { signal: gone.signal });
  gone.abort();
  expect(list.mock.calls.map(([, , , signal]) => signal?.aborted)).toEqual([true, true]);
  list.mockRestore();
});

test("the starters of the last 1,000 test payments are known", () => {
  const started = createTestPayments();
  for (let number = 0; number < 1000; number += 1) started.note(`ws_CO_${number}`, "console");
  expect(started.starterOf("ws_CO_0")).toBe("console");
  started.note("ws_CO_1000", "control_api");
  expect([started.starterOf("ws_CO_0"), started.starterOf("ws_CO_1000")]).toEqual([null, "control_api"]);
});
