import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { START_MS } from "../../support/harness.ts";
import { insertDue } from "../../support/pending.ts";
import { startIn } from "../../support/sandbox.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);
afterAll(cleanUp);

const decision = async (id: string) => (await sandbox.control("GET", `/transactions/${id}`)).decided_by;
const header = (outcome: string) => ({ "X-Sandbox-Outcome": outcome });

describe("decided_by: who, what and when, while it is pending and when it has ended", () => {
  async function expectDecision(id: string, expected: object): Promise<void> {
    expect(await decision(id)).toEqual(expected);
    await sandbox.advanceClock("5m");
    expect(await decision(id)).toEqual(expected);
  }

  test("header", async () => {
    await expectDecision(await sandbox.pay({}, header("cancelled; after=10s")), {
      who: "header",
      outcome: "cancelled",
      at_ms: START_MS + 10_000,
      in_words: "The request itself (X-Sandbox-Outcome) decided: cancelled, 10s after the start.",
    });
  });

  test("rule, with its place in the list when it decided", async () => {
    await sandbox.control("PUT", "/rules", [
      { match: { reference: "A" }, outcome: "expired" },
      { outcome: "wrong_pin", after: "2s", times: 1 },
    ]);
    const id = await sandbox.pay();
    await sandbox.control("DELETE", "/rules");
    await expectDecision(id, {
      who: "rule",
      rule: 2,
      outcome: "wrong_pin",
      at_ms: START_MS + 2000,
      in_words: "Rule 2 decided: wrong_pin, 2s after the start.",
    });
  });

  test("network_limit", async () => {
    await expectDecision(await sandbox.pay({ amount: 250_001 }), {
      who: "network_limit",
      outcome: "over_limit",
      at_ms: START_MS + 3000,
      in_words: "The network's own limit of KES 250,000 decided: over_limit, 3s after the start.",
    });
  });

  test("test_phone", async () => {
    await expectDecision(await sandbox.pay({ phone: "254700000001" }), {
      who: "test_phone",
      outcome: "insufficient_funds",
      at_ms: START_MS + 3000,
      in_words: "The number, a test phone, decided: insufficient_funds, 3s after the start.",
    });
  });

  test("silence is decided too, although the deadline ends it", async () => {
    await expectDecision(await sandbox.pay({ phone: "254700000099" }), {
      who: "test_phone",
      outcome: "silent",
      at_ms: null,
      in_words: "The number, a test phone, decided: silent, so that the network never answers.",
    });
  });

  test("default", async () => {
    await sandbox.control("PUT", "/default", { outcome: "unreachable" });
    await expectDecision(await sandbox.pay(), {
      who: "default",
      outcome: "unreachable",
      at_ms: START_MS + 15_000,
      in_words: "The default of the server decided: unreachable, 15s after the start.",
    });
  });

  test("person, whatever had been decided before", async () => {
    for (const outcome of ["completed", "manual", "wrong_pin"]) {
      const id = await sandbox.pay({}, header(outcome));
      await sandbox.advanceClock("1s");
      await sandbox.control("POST", `/prompts/${id}/answer`, { pin: "0000" });
      expect(await decision(id)).toMatchObject({
        who: "person",
        outcome: "wrong_pin",
        in_words: "A person, or a script in place of one, answered: wrong_pin, 1s after the start.",
      });
    }
  });

  test("deadline: nobody answered", async () => {
    const id = await sandbox.pay({}, header("manual"));
    expect(await decision(id)).toMatchObject({ who: "header", outcome: "manual", at_ms: null });
    await sandbox.advanceClock("60s");
    expect(await decision(id)).toEqual({
      who: "deadline",
      outcome: "expired",
      at_ms: START_MS + 60_000,
      in_words:
        "The prompt's time was over 1m after the start. The request itself (X-Sandbox-Outcome) had decided: manual, to wait until somebody answers.",
    });
  });

  test("deadline: what was decided would have come too late", async () => {
    const id = await sandbox.pay({}, header("completed; after=2m"));
    await sandbox.advanceClock("60s");
    expect(await decision(id)).toMatchObject({
      who: "deadline",
      in_words: expect.stringContaining("had decided: completed, 2m after the start."),
    });
  });
});

test("a payment that began before it was noted has no decided_by, pending or final", async () => {
  await insertDue(sandbox, 1);
  const [listed] = await sandbox.list();
  const id = String(listed?.checkout_request_id);
  expect(await decision(id)).toBeNull();
  await sandbox.advanceClock("1s");
  expect(await sandbox.statusOf(id)).toMatchObject({ status: "completed" });
  expect(await decision(id)).toBeNull();
});

test("decided_by survives restarts, before and after the end", async () => {
  const directory = join(newFolder(), "data");
  const first = await startIn(directory);
  await first.control("POST", "/rules", [{ outcome: "expired" }]);
  const open = await first.pay();
  await first.control("PUT", "/rules", [{ outcome: "cancelled", after: "0s" }]);
  const ended = await first.pay();
  await first.control("POST", "/wait", { checkout_request_id: ended });
  const byHand = await first.pay({ phone: "254700000100" });
  await first.control("POST", `/prompts/${open}/answer`, { pin: "1234" });
  const stories = (server: typeof first) =>
    Promise.all(
      [open, ended, byHand].map(async (id) => (await server.control("GET", `/transactions/${id}`)).decided_by),
    );
  const before = await stories(first);
  expect(before).toMatchObject([
    { who: "person", outcome: "completed" },
    { who: "rule", rule: 1, outcome: "cancelled" },
    { who: "rule", rule: 1, outcome: "cancelled" },
  ]);
  await first.stop();
  expect(await stories(await startIn(directory))).toEqual(before);
});
