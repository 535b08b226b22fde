import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { startIn } from "../../support/sandbox.ts";
import { useSteered } from "../../support/steered.ts";

const sandbox = useSteered();
afterAll(cleanUp);

const poll = (checkout_request_id: unknown) => sandbox.ask("POST", "/status.php", { json: { checkout_request_id } });
const audit = () => sandbox.control("GET", "/audit");
const kinds = async () => ((await audit()).findings as { kind: string }[]).map(({ kind }) => kind);

const BLIND_PHONE = "254700000001";

/** A payment whose answer is lost. */
async function payBlindly(reference: string): Promise<void> {
  await sandbox.control("PUT", "/faults", { faults: [{ path: "/stkpush.php", kind: "disconnect", times: 1 }] });
  await sandbox.pay({ phone: BLIND_PHONE, reference }).catch(() => {});
}

describe("GET /_momo/audit", () => {
  test("nothing for a correct client", async () => {
    const id = await sandbox.pay({ reference: "A" });
    await poll(id);
    await sandbox.advanceClock("3s");
    await poll(id);
    expect(await audit()).toEqual({
      success: true,
      message:
        "3 requests: 3 accepted, 0 refused; 1 payment started, 1 paid, 0 not followed; 0 errors, 0 warnings, 0 notes",
      requests: 3,
      accepted: 3,
      refused: [],
      refused_left_out: 0,
      payments: { started: 1, paid: 1, not_followed: 0 },
      errors: 0,
      warnings: 0,
      notes: 0,
      left_out: 0,
      findings: [],
    });
  });

  test("the mistakes of a client, with its requests in the log", async () => {
    await sandbox.pay({ reference: "A" });
    await sandbox.pay({ reference: "A", callback_url: "https://shop.example" });
    const request_ids = (await sandbox.logged()).map(({ id }) => id);
    expect(await audit()).toMatchObject({
      message: expect.stringContaining("1 error, 0 warnings, 1 note"),
      errors: 1,
      findings: [
        { kind: "charges_twice", severity: "error", request_ids, reference: "A", count: 1 },
        { kind: "unknown_member", severity: "note" },
      ],
    });
  });

  test("polls after the end, a wrong row of a list, and an unknown path", async () => {
    const id = await sandbox.pay({ phone: "254700000032" });
    await sandbox.advanceClock("3s");
    expect((await poll(id)).body.status).toBe("cancelled");
    for (let time = 0; time < 3; time += 1) await poll(id);
    await sandbox.ask("GET", `/transactions.php?checkout_request_id=${id}`);
    await sandbox.ask("POST", "/checkstatus.php", { json: {} });
    expect((await kinds()).sort()).toEqual(["ignores_final", "takes_wrong_row", "unknown_path"]);
  });

  test("a payment whose answer was lost may be sent again only after a lookup, also in a list that the log cuts", async () => {
    await payBlindly("LOOKED");
    for (let number = 1; number <= 50; number += 1) await sandbox.pay({ reference: `ORDER-${number}`, amount: number });
    await sandbox.advanceClock("3s");
    await sandbox.ask("GET", "/transactions.php?limit=100");
    await sandbox.pay({ phone: BLIND_PHONE, reference: "LOOKED" });
    await sandbox.advanceClock("3s");
    expect(await kinds()).toEqual([]);
    await payBlindly("BLIND");
    await sandbox.advanceClock("3s");
    await sandbox.pay({ phone: BLIND_PHONE, reference: "BLIND" });
    expect(await kinds()).toEqual(["charges_twice"]);
  });

  test("an advance causes no finding: the client had no time to poll", async () => {
    await poll(await sandbox.pay());
    await sandbox.pay({ amount: 2 });
    await sandbox.advanceClock("10m");
    expect(await kinds()).toEqual([]);
  });

  test.each([
    ["text", "text/plain; charset=utf-8", "error: takes_wrong_row"],
    ["github", "text/plain; charset=utf-8", "::error title=momo audit%3A takes_wrong_row::"],
    ["junit", "application/xml; charset=utf-8", 'failures="1"'],
    ["sarif", "application/sarif+json; charset=utf-8", '"ruleId": "takes_wrong_row"'],
    ["json", "application/json", '"errors":1'],
  ])("as a report: %s", async (format, type, contains) => {
    await sandbox.ask("GET", "/transactions.php?reference=A");
    const response = await sandbox.request("GET", `/audit?format=${format}`);
    expect(response.headers.get("Content-Type")).toBe(type);
    expect(await response.text()).toContain(contains);
  });

  test("another format, or another word for over, is refused", async () => {
    expect(await sandbox.refusal("GET", "/audit?over=yes")).toBe('over must be true or false; it is "yes"');
    expect(await sandbox.refusal("GET", "/audit?format=html")).toBe(
      'format must be one of text, json, junit, sarif, github; it is "html"',
    );
  });

  test.each([
    ["DELETE", "/audit"],
    ["POST", "/reset"],
  ])("%s %s forgets the findings", async (method, path) => {
    await sandbox.ask("GET", "/transactions.php?reference=A");
    expect(await kinds()).toEqual(["takes_wrong_row"]);
    await sandbox.control(method, path);
    expect(await kinds()).toEqual([]);
  });

  test("a delayed request causes no finding: its client waits for the answer", async () => {
    const server = await startIn(newFolder());
    const id = await server.pay();
    await server.control("PUT", "/faults", { faults: [{ kind: "delay", delay: "1h", times: 1 }] });
    const delayed = server.statusOf(id).catch(() => {});
    expect(await server.control("GET", "/audit")).toMatchObject({ findings: [] });
    await server.stop();
    await delayed;
  });
});
