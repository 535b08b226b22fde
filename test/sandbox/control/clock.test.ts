import { describe, expect, test } from "bun:test";
import { readEvents } from "../../support/event-stream.ts";
import { failWrites } from "../../support/failing-writes.ts";
import { insertDue } from "../../support/pending.ts";
import { testRefusals } from "../../support/refused.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

/** Its clock stands at 10:00:00 in Nairobi. */
const sandbox = forEachTest(openSteered);

const move = (body: object) => sandbox.control("POST", "/clock", body);

describe("GET and POST /_momo/clock", () => {
  test("show what time it is for momo, in Nairobi", async () => {
    expect(await sandbox.control("GET", "/clock")).toEqual({
      success: true,
      message: "it is 2026-11-20 10:00:00 in Nairobi, and stays so",
      now: "2026-11-20 10:00:00",
      now_ms: Date.UTC(2026, 10, 20, 7),
      frozen: true,
    });
  });

  test("advance moves it, frozen or not; resume lets it go on; freeze stops it", async () => {
    expect(await move({ advance: "90s" })).toMatchObject({ now: "2026-11-20 10:01:30", frozen: true });
    expect(await move({ resume: true })).toMatchObject({ now: "2026-11-20 10:01:30", frozen: false });
    expect(await move({ advance: "1h" })).toMatchObject({ now: "2026-11-20 11:01:30", frozen: false });
    const frozen = await move({ freeze: true });
    expect(frozen).toMatchObject({ frozen: true });
    expect(await sandbox.control("GET", "/clock")).toEqual(frozen);
  });

  test("all at once: it stops, moves and, where asked, goes on", async () => {
    await move({ resume: true });
    expect(await move({ freeze: true, advance: "2m" })).toMatchObject({ now: "2026-11-20 10:02:00", frozen: true });
    expect(await move({ advance: "2m", resume: true })).toMatchObject({ now: "2026-11-20 10:04:00", frozen: false });
  });
});

describe("a move that makes no sense is refused, and the clock stands as before", () => {
  const BAD: [body: unknown, says: string][] = [
    [{ advance: "-5s" }, "advance: it is not a duration up to 24h"],
    [{ advance: "25h" }, "advance: it is not a duration up to 24h"],
    [{ advance: "99999999h" }, "advance: it is not a duration up to 24h"],
    [{ advance: "soon" }, "advance: it is not a duration up to 24h"],
    [{ advance: "" }, "advance: it is not a duration up to 24h"],
    [{ advance: "1.5s" }, "advance: it is not a duration up to 24h"],
    [{ advance: "9e3s" }, "advance: it is not a duration up to 24h"],
    [{ advance: 90 }, "advance: "],
    [{ advance: null }, "advance: "],
    [{ advance: ["90s"] }, "advance: "],
    [{ freeze: false }, "freeze: must be true"],
    [{ freeze: "yes" }, "freeze: must be true"],
    [{ resume: 1 }, "resume: must be true"],
    [{ freeze: true, resume: true }, "give freeze or resume, not both"],
    [{ freeze: true, advance: "x" }, "advance: it is not a duration up to 24h"],
    [{ resume: true, to: "2027-01-01" }, 'there is no member "to"; the members are '],
    [{}, 'give "freeze":true, "advance":"90s" or "resume":true'],
    [[], "the body must be a JSON object"],
    ["90s", "the body must be a JSON object"],
  ];
  testRefusals(sandbox, "POST", "/clock", BAD);
});

describe("what momo shows and does follows the clock", () => {
  test("timestamps and the identifiers that carry them", async () => {
    await move({ advance: "14h" });
    const id = await sandbox.pay();
    expect(id).toStartWith("ws_CO_21112026000000_");
    await move({ advance: "3s" });
    expect(await sandbox.statusOf(id)).toMatchObject({
      created_at: "2026-11-21 00:00:00",
      completed_at: "2026-11-21 00:00:03",
      momo_receipt_number: expect.stringMatching(/^UKL/),
    });
  });

  test("due prompts: none while it stands still, all that an advance passes, each at its own instant", async () => {
    const [soon, late] = [await sandbox.pay(), await sandbox.pay({}, { "X-Sandbox-Outcome": "completed_late" })];
    expect(await sandbox.list("?status=pending")).toHaveLength(2);
    await move({ advance: "10s" });
    expect(await sandbox.statusOf(soon)).toMatchObject({ completed_at: "2026-11-20 10:00:03" });
    expect(await sandbox.statusOf(late)).toMatchObject({ status: "pending", completed_at: null });
    await move({ advance: "1h" });
    expect(await sandbox.statusOf(late)).toMatchObject({ completed_at: "2026-11-20 10:00:30" });
  });

  test("resumed, prompts come due by themselves", async () => {
    const id = await sandbox.pay({}, { "X-Sandbox-Outcome": "completed; after=1ms" });
    await move({ resume: true });
    await sandbox.control("POST", "/wait", { checkout_request_id: id, timeout: "50s" });
    expect(await sandbox.statusOf(id)).toMatchObject({ status: "completed" });
  });
});

describe("advance returns when all that fell due is resolved", () => {
  const completed = async () =>
    ((await sandbox.ask("GET", "/transactions.php?limit=1")).body.summary as Record<string, number>).completed_count;

  test("in the order in which they fell due", async () => {
    const phones = ["254700000037", "254700000030", "254700000032", "254700000019", "254700000000"];
    const started = new Map<string, string>();
    for (const phone of phones) started.set(await sandbox.pay({ phone }), phone);
    const events = await sandbox.handle(
      new Request("http://127.0.0.1/_momo/events", { headers: { Host: "127.0.0.1" } }),
    );
    await move({ advance: "1h" });
    const stream = readEvents(events);
    await stream.until(() => stream.events.some(({ name }) => name === "steering"));
    await stream.leave();
    const ended = stream.events
      .filter(({ name }) => name === "transaction")
      .map(({ data }) => String(data.checkout_request_id));
    expect(ended.map((id) => started.get(id))).toEqual([
      "254700000032",
      "254700000000",
      "254700000037",
      "254700000030",
      "254700000019",
    ]);
  });

  test("2,000 at once, and none of those that are not due", async () => {
    await insertDue(sandbox, 2001);
    await move({ advance: "2s" });
    expect(await completed()).toBe(2000);
    await move({ advance: "1ms" });
    expect(await completed()).toBe(2001);
  });

  test("two advances at once: each returns when its own are resolved", async () => {
    await insertDue(sandbox, 2000);
    await Promise.all([move({ advance: "1s" }), move({ advance: "1s" })]);
    expect(await completed()).toBe(2000);
  });

  test("and says so where it cannot be, because the database cannot be written", async () => {
    const id = await sandbox.pay();
    const { store, faults } = sandbox.harness;
    const mend = failWrites(store, "database is locked");
    const answer = await sandbox.call("POST", "/clock", { json: { advance: "3s" } });
    expect(answer).toMatchObject({ status: 500, body: { success: false, message: "internal server error" } });
    mend();
    await move({ advance: "0s" });
    expect(await sandbox.statusOf(id)).toMatchObject({ status: "completed", completed_at: "2026-11-20 10:00:03" });
    expect(faults.splice(0).map(String)).toContain("Error: database is locked");
  });
});
