import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { HOST } from "../../support/control.ts";
import { readEvents } from "../../support/event-stream.ts";
import { startIn } from "../../support/sandbox.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);
afterAll(cleanUp);

const poll = (checkout_request_id: unknown) => sandbox.ask("POST", "/status.php", { json: { checkout_request_id } });
const audit = () => sandbox.control("GET", "/audit");
const kinds = async () => ((await audit()).findings as { kind: string }[]).map(({ kind }) => kind);

/** A report as it is sent. */
async function report(format: string): Promise<{ type: string | null; text: string }> {
  const request = new Request(`http://${HOST}/_momo/audit?format=${format}`, { headers: { Host: HOST } });
  const response = await sandbox.handle(request);
  expect(response.status).toBe(200);
  return { type: response.headers.get("Content-Type"), text: await response.text() };
}

describe("GET /_momo/audit", () => {
  test("has nothing for a client that does all right", async () => {
    const id = await sandbox.pay({ reference: "A" });
    await poll(id);
    await sandbox.control("POST", "/clock", { advance: "3s" });
    await poll(id);
    expect(await audit()).toEqual({
      success: true,
      message: "nothing found",
      errors: 0,
      warnings: 0,
      notes: 0,
      left_out: 0,
      findings: [],
    });
  });

  test("tells what a client has done wrong, with its calls in the log", async () => {
    await sandbox.pay({ reference: "A" });
    await sandbox.pay({ reference: "A", callback_url: "https://shop.example" });
    const { requests } = (await sandbox.control("GET", "/requests")) as { requests: { id: number }[] };
    expect(await audit()).toMatchObject({
      message: "1 error, 1 note",
      errors: 1,
      findings: [
        {
          kind: "charges_twice",
          severity: "error",
          request_ids: requests.map(({ id }) => id),
          reference: "A",
          count: 1,
        },
        { kind: "unknown_member", severity: "note" },
      ],
    });
  });

  test("knows an end that the client has not read, a list that shows it, and a path that is not there", async () => {
    const id = await sandbox.pay({ phone: "254700000032" });
    await sandbox.control("POST", "/clock", { advance: "3s" });
    expect((await poll(id)).body.status).toBe("cancelled");
    for (let time = 0; time < 3; time += 1) await poll(id);
    await sandbox.ask("GET", `/transactions.php?checkout_request_id=${id}`);
    await sandbox.ask("POST", "/checkstatus.php", { json: {} });
    expect((await kinds()).sort()).toEqual(["ignores_final", "takes_wrong_row", "unknown_path"]);
  });

  test("knows a payment whose answer was lost, and a look for it", async () => {
    const lose = { faults: [{ path: "/stkpush.php", kind: "disconnect", times: 1 }] };
    for (const looks of [true, false]) {
      const reference = looks ? "LOOKED" : "BLIND";
      await sandbox.control("PUT", "/faults", lose);
      const json = { payment_account_id: 1, phone: "254700000001", amount: 100, reference };
      await sandbox.ask("POST", "/stkpush.php", { json }).catch(() => {});
      await sandbox.control("POST", "/clock", { advance: "3s" });
      if (looks) await sandbox.ask("GET", `/transactions.php?search=${reference}`);
      await sandbox.pay({ reference });
      expect(await kinds()).toEqual(looks ? [] : ["charges_twice"]);
    }
  });

  test("knows what stands at the end of a long list, which the log does not keep", async () => {
    await sandbox.control("PUT", "/faults", { faults: [{ path: "/stkpush.php", kind: "disconnect", times: 1 }] });
    const json = { payment_account_id: 1, phone: "254700000001", amount: 100, reference: "LOST" };
    await sandbox.ask("POST", "/stkpush.php", { json }).catch(() => {});
    for (let payment = 0; payment < 50; payment += 1) await sandbox.pay({ reference: `ORDER-${payment}` });
    await sandbox.control("POST", "/clock", { advance: "3s" });
    await sandbox.ask("GET", "/transactions.php?limit=100");
    await sandbox.pay({ reference: "LOST" });
    expect(await kinds()).toEqual([]);
  });

  test("an advance blames nobody: there was no time to ask", async () => {
    const id = await sandbox.pay();
    await poll(id);
    await sandbox.pay();
    await sandbox.control("POST", "/clock", { advance: "10m" });
    expect(await kinds()).toEqual([]);
  });

  test("as a report in every format", async () => {
    await sandbox.ask("GET", "/transactions.php?reference=A");
    expect(await report("text")).toEqual({
      type: "text/plain; charset=utf-8",
      text: expect.stringContaining("error: takes_wrong_row (§4.3)"),
    });
    expect((await report("github")).text).toStartWith("::error title=momo audit%3A takes_wrong_row (§4.3)::");
    expect(await report("junit")).toEqual({
      type: "application/xml; charset=utf-8",
      text: expect.stringContaining('failures="1"'),
    });
    const sarif = await report("sarif");
    expect(sarif.type).toBe("application/sarif+json; charset=utf-8");
    expect(JSON.parse(sarif.text).runs[0].results).toMatchObject([{ ruleId: "takes_wrong_row", level: "error" }]);
    expect(JSON.parse((await report("json")).text)).toMatchObject({ errors: 1 });
    expect(await sandbox.refusal("GET", "/audit?format=html")).toBe(
      'format must be one of text, json, junit, sarif, github; it is "html"',
    );
  });

  test("DELETE and a reset forget all that was found", async () => {
    for (const [method, path] of [
      ["DELETE", "/audit"],
      ["POST", "/reset"],
    ] as const) {
      await sandbox.ask("GET", "/transactions.php?reference=A");
      expect(await kinds()).toEqual(["takes_wrong_row"]);
      await sandbox.control(method, path);
      expect(await kinds()).toEqual([]);
    }
  });
});

test("the stream of events has each finding as it is made", async () => {
  const listening = new Request(`http://${HOST}/_momo/events`, { headers: { Host: HOST } });
  const stream = readEvents(await sandbox.handle(listening));
  await sandbox.ask("GET", "/transactions.php?reference=A");
  await stream.until(() => stream.events.some(({ name }) => name === "audit"));
  expect(stream.events.find(({ name }) => name === "audit")?.data).toMatchObject({
    kind: "takes_wrong_row",
    severity: "error",
    count: 1,
  });
  await stream.leave();
});

test("while a call is held up, nobody knows what its client is about to do", async () => {
  const served = await startIn(newFolder());
  const id = await served.pay();
  await served.control("PUT", "/faults", { faults: [{ kind: "delay", delay: "1h", times: 1 }] });
  const held = served.statusOf(id).catch(() => {});
  expect(await served.control("GET", "/audit")).toMatchObject({ findings: [] });
  await served.stop();
  await held;
});
