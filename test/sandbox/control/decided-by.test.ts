import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { START_MS } from "../../support/harness.ts";
import { insertDue } from "../../support/pending.ts";
import { startIn } from "../../support/sandbox.ts";
import { useSteered } from "../../support/steered.ts";

const sandbox = useSteered();
afterAll(cleanUp);

const decision = async (id: string) => (await sandbox.control("GET", `/transactions/${id}`)).decided_by;
const header = (outcome: string) => ({ "X-Sandbox-Outcome": outcome });
const after = (seconds: number) => START_MS + seconds * 1000;

describe("decided_by: who, what and when, the same while the payment is pending and when it has ended", () => {
  const CASES: [who: string, start: () => Promise<string>, expected: object][] = [
    [
      "header",
      () => sandbox.pay({}, header("cancelled; after=10s")),
      {
        outcome: "cancelled",
        at_ms: after(10),
        in_words: "The request itself (X-Sandbox-Outcome) decided: cancelled, 10s after the start.",
      },
    ],
    [
      "rule",
      async () => {
        await sandbox.control("PUT", "/rules", [
          { match: { reference: "A" }, outcome: "expired" },
          { outcome: "wrong_pin", after: "2s", times: 1 },
        ]);
        const id = await sandbox.pay();
        await sandbox.control("DELETE", "/rules");
        return id;
      },
      { rule: 2, outcome: "wrong_pin", at_ms: after(2), in_words: "Rule 2 decided: wrong_pin, 2s after the start." },
    ],
    [
      "network_limit",
      () => sandbox.pay({ amount: 250_001 }),
      {
        outcome: "over_limit",
        at_ms: after(3),
        in_words: "The network's own limit of KES 250,000 decided: over_limit, 3s after the start.",
      },
    ],
    [
      "test_phone",
      () => sandbox.pay({ phone: "254700000001" }),
      {
        outcome: "insufficient_funds",
        at_ms: after(3),
        in_words: "The number, a test phone, decided: insufficient_funds, 3s after the start.",
      },
    ],
    [
      // The deadline ends it, but the silence was decided.
      "test_phone",
      () => sandbox.pay({ phone: "254700000099" }),
      {
        outcome: "silent",
        at_ms: null,
        in_words: "The number, a test phone, decided: silent, so that the network never answers.",
      },
    ],
    [
      "default",
      async () => {
        await sandbox.control("PUT", "/default", { outcome: "unreachable" });
        return sandbox.pay();
      },
      {
        outcome: "unreachable",
        at_ms: after(15),
        in_words: "The default of the server decided: unreachable, 15s after the start.",
      },
    ],
  ];
  test.each(CASES)("%s", async (who, start, expected) => {
    const id = await start();
    expect(await decision(id)).toEqual({ who, ...expected });
    await sandbox.advanceClock("5m");
    expect(await decision(id)).toEqual({ who, ...expected });
  });

  test.each(["completed", "manual", "wrong_pin"])("person, instead of %s", async (outcome) => {
    const id = await sandbox.pay({}, header(outcome));
    await sandbox.advanceClock("1s");
    await sandbox.control("POST", `/prompts/${id}/answer`, { pin: "0000" });
    expect(await decision(id)).toMatchObject({
      who: "person",
      outcome: "wrong_pin",
      in_words: "A person, or a script in place of one, answered: wrong_pin, 1s after the start.",
    });
  });

  test.each([
    ["nobody answered", "manual", null, "manual, to wait until somebody answers."],
    ["the network would have answered too late", "completed; after=2m", after(120), "completed, 2m after the start."],
  ])("deadline: %s", async (_why, instruction, at_ms, decided) => {
    const id = await sandbox.pay({}, header(instruction));
    expect(await decision(id)).toMatchObject({ who: "header", at_ms });
    await sandbox.advanceClock("60s");
    const before = `The request itself (X-Sandbox-Outcome) had decided: ${decided}`;
    expect(await decision(id)).toEqual({
      who: "deadline",
      outcome: "expired",
      at_ms: after(60),
      in_words: `The prompt's time was over 1m after the start. ${before}`,
    });
  });

  test("null for a payment from a version that did not store it", async () => {
    await insertDue(sandbox, 1);
    const [listed] = await sandbox.list();
    const id = String(listed?.checkout_request_id);
    expect(await decision(id)).toBeNull();
    await sandbox.advanceClock("1s");
    expect(await sandbox.statusOf(id)).toMatchObject({ status: "completed" });
    expect(await decision(id)).toBeNull();
  });

  test("it survives a restart, before and after the end", async () => {
    const directory = join(newFolder(), "data");
    const first = await startIn(directory);
    await first.control("POST", "/clock", { freeze: true });
    await first.control("POST", "/rules", [{ outcome: "expired" }]);
    const [open, answered] = [await first.pay(), await first.pay()];
    await first.control("POST", `/prompts/${answered}/answer`, { pin: "1234" });
    const read = (server: typeof first) =>
      Promise.all([open, answered].map(async (id) => (await server.control("GET", `/transactions/${id}`)).decided_by));
    const before = await read(first);
    expect(before).toMatchObject([
      { who: "rule", rule: 1, outcome: "expired" },
      { who: "person", outcome: "completed" },
    ]);
    await first.stop();
    expect(await read(await startIn(directory))).toEqual(before);
  });
});
