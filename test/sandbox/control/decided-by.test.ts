import { describe, expect, test } from "bun:test";
import { START_MS } from "../../support/harness.ts";
import { insertDue } from "../../support/pending.ts";
import { useSteered } from "../../support/steered.ts";

const sandbox = useSteered();

const decision = async (id: string) => (await sandbox.control("GET", `/transactions/${id}`)).decided_by;
const header = (outcome: string) => ({ "X-Sandbox-Outcome": outcome });
const after = (seconds: number) => START_MS + seconds * 1000;

describe("decided_by: who, what and when, the same while the payment is pending and when it has ended", () => {
  const byRule = async () => {
    const rules = [
      { match: { reference: "A" }, outcome: "expired" },
      { outcome: "wrong_pin", after: "2s", times: 1 },
    ];
    await sandbox.control("PUT", "/rules", rules);
    const id = await sandbox.pay();
    await sandbox.control("DELETE", "/rules");
    return id;
  };
  const byDefault = async () => {
    await sandbox.control("PUT", "/default", { outcome: "unreachable" });
    return sandbox.pay();
  };
  const byHeader = () => sandbox.pay({}, header("cancelled; after=10s"));
  const byLimit = () => sandbox.pay({ amount: 250_001 });
  const byPhone = () => sandbox.pay({ phone: "254700000001" });

  test.each<[who: string, inWords: string, outcome: string, seconds: number, start: () => Promise<string>]>([
    ["header", "The request itself (X-Sandbox-Outcome)", "cancelled", 10, byHeader],
    ["rule", "Rule 2", "wrong_pin", 2, byRule],
    ["network_limit", "The network's own limit of KES 250,000", "over_limit", 3, byLimit],
    ["test_phone", "The number, a test phone,", "insufficient_funds", 3, byPhone],
    ["default", "The default of the server", "unreachable", 15, byDefault],
  ])("%s", async (who, inWords, outcome, seconds, start) => {
    const id = await start();
    const expected = {
      ...{ who, outcome, at_ms: after(seconds) },
      ...(who === "rule" && { rule: 2 }),
      in_words: `${inWords} decided: ${outcome}, ${seconds}s after the start.`,
    };
    expect(await decision(id)).toEqual(expected);
    await sandbox.advanceClock("5m");
    expect(await decision(id)).toEqual(expected);
  });

  test("a silent network decided, too, although the deadline ends the payment", async () => {
    const id = await sandbox.pay({ phone: "254700000099" });
    const before = await decision(id);
    expect(before).toMatchObject({
      ...{ who: "test_phone", outcome: "silent", at_ms: null },
      in_words: "The number, a test phone, decided: silent, so that the network never answers.",
    });
    await sandbox.advanceClock("5m");
    expect(await decision(id)).toEqual(before);
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
    ["nobody answered", "manual", null, "manual, to wait for an answer by hand."],
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
});
