import { describe, expect, test } from "bun:test";
import { testRefusals } from "../../support/refused.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);

const replace = (json: unknown) => sandbox.control("PUT", "/default", json);

describe("GET and PUT /_momo/default: what prompts do where nothing else decides", () => {
  test("what the server was started with", async () => {
    expect(await sandbox.control("GET", "/default")).toMatchObject({ outcome: "completed", after: "3s" });
  });

  test("another one is in force for the prompts to come, and for no other", async () => {
    const before = await sandbox.pay();
    expect(await replace({ outcome: "cancelled", after: "1s" })).toMatchObject({ outcome: "cancelled", after: "1s" });
    expect(await sandbox.control("GET", "/default")).toMatchObject({ outcome: "cancelled", after: "1s" });
    const [after, byPhone] = [await sandbox.pay(), await sandbox.pay({ phone: "254700000001" })];
    await sandbox.control("POST", "/clock", { advance: "1s" });
    expect(await sandbox.statusOf(after)).toMatchObject({ status: "cancelled" });
    await sandbox.control("POST", "/clock", { advance: "2s" });
    expect(await sandbox.statusOf(before)).toMatchObject({ status: "completed" });
    expect(await sandbox.statusOf(byPhone)).toMatchObject({ result_code: 1 });
  });

  test.each([
    ["unreachable", "15s"],
    ["expired", "prompt timeout"],
    ["silent", "never"],
    ["manual", null],
    ["refused", null],
  ])("%s without after takes its own time: %s", async (outcome, after) => {
    expect(await replace({ outcome })).toMatchObject({ outcome, after });
  });

  const BAD: [body: unknown, says: string][] = [
    [{}, "outcome: is missing"],
    [{ outcome: "paid" }, "outcome: it is not the name of an outcome; the names are completed, "],
    [{ outcome: 1 }, "outcome: "],
    [{ outcome: "completed", after: "soon" }, "after is not a duration up to 24h"],
    [{ outcome: "completed", after: 3 }, "after: "],
    [{ outcome: "manual", after: "3s" }, "after has no meaning with manual: leave it out"],
    [{ outcome: "completed", times: 1 }, 'there is no member "times"; the members are '],
    [["completed"], "the body must be a JSON object"],
  ];
  testRefusals(sandbox, "PUT", "/default", BAD);
});
