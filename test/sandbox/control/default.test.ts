import { describe, expect, test } from "bun:test";
import { testRefusals } from "../../support/refused.ts";
import { useSteered } from "../../support/steered.ts";

const sandbox = useSteered();

const replace = (json: unknown) => sandbox.control("PUT", "/default", json);

describe("GET and PUT /_momo/default: what prompts do if nothing else decides", () => {
  test("a new one is in force for the prompts to come only", async () => {
    expect(await sandbox.control("GET", "/default")).toMatchObject({ outcome: "completed", after: "3s" });
    const before = await sandbox.pay();
    expect(await replace({ outcome: "cancelled", after: "1s" })).toMatchObject({ outcome: "cancelled", after: "1s" });
    expect(await sandbox.control("GET", "/default")).toMatchObject({ outcome: "cancelled", after: "1s" });
    const [after, byPhone] = [await sandbox.pay(), await sandbox.pay({ phone: "254700000001" })];
    await sandbox.advanceClock("1s");
    expect(await sandbox.statusOf(after)).toMatchObject({ status: "cancelled" });
    await sandbox.advanceClock("2s");
    expect(await sandbox.statusOf(before)).toMatchObject({ status: "completed" });
    expect(await sandbox.statusOf(byPhone)).toMatchObject({ result_code: 1 });
  });

  test.each([
    ["unreachable", "15s"],
    ["expired", "prompt timeout"],
    ["silent", "never"],
    ["manual", null],
    ["refused", null],
  ])("%s without after has its own time: %s", async (outcome, after) => {
    expect(await replace({ outcome })).toMatchObject({ outcome, after });
  });

  testRefusals(sandbox, "PUT", "/default", [
    [{}, "outcome: is missing"],
    [{ outcome: "paid" }, "outcome: it is not the name of an outcome; the names are completed, "],
    [{ outcome: "completed", after: "soon" }, "after is not a duration up to 24h"],
    [{ outcome: "manual", after: "3s" }, "after has no meaning with manual: leave it out"],
    [{ outcome: "completed", times: 1 }, 'there is no member "times"; the members are '],
    [["completed"], "the body must be a JSON object"],
  ]);

  test("the names of unknown members are cut, and no secret is among them", async () => {
    const secret = `ms_${"0123456789".repeat(4)}`;
    const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${"x".repeat(40)}${index}`, 1]));
    const message = await sandbox.refusal("PUT", "/default", { outcome: "completed", [secret]: 1, ...unknown });
    expect(message).not.toContain(secret);
    expect(message.length).toBeLessThan(2000);
  });
});
