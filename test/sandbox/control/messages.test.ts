import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { insertDue } from "../../support/pending.ts";
import { startIn } from "../../support/sandbox.ts";
import { expectSoundAnswer } from "../../support/scenario.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);
afterAll(cleanUp);

interface Message {
  readonly phone: string;
  readonly text: string;
  readonly at_ms: number;
  readonly checkout_request_id: string;
}
const messages = async (query = "") =>
  (await sandbox.control("GET", `/messages${query}`)).messages as readonly Message[];

describe("GET /_momo/messages: the last messages to customers, newest first", () => {
  test("none while nobody has paid", async () => {
    await sandbox.pay();
    await sandbox.pay({ phone: "254700000032" });
    expect(await messages()).toEqual([]);
    await sandbox.advanceClock("1h");
    expect(await messages()).toHaveLength(1);
  });

  test("phone, text, time and payment", async () => {
    const id = await sandbox.pay({ amount: 1200, reference: "REF" });
    await sandbox.advanceClock("1m");
    const [listed] = await sandbox.list();
    const text = `${listed?.momo_receipt_number} Confirmed. Ksh1,200.00 sent to First Shop for account REF on 20/11/26 at 10:00 AM`;
    expect(await sandbox.control("GET", "/messages")).toEqual({
      success: true,
      message: "1 message",
      messages: [
        {
          phone: "254712345678",
          text,
          at: "2026-11-20 10:00:03",
          at_ms: Date.UTC(2026, 10, 20, 7, 0, 3),
          checkout_request_id: id,
        },
      ],
    });
  });

  test("of all merchants, as they were paid and not as they were started", async () => {
    const late = await sandbox.pay({ phone: "254700000030" });
    const early = await sandbox.pay({ payment_account_id: sandbox.other.accountId }, sandbox.other.headers);
    await sandbox.advanceClock("1m");
    const list = await messages();
    expect(list.map((message) => message.checkout_request_id)).toEqual([late, early]);
    expect(list[1]?.text).toContain("sent to Second Shop");
  });

  test("?phone= those to one phone, however it is written, and not those that only mention it", async () => {
    const mine = await sandbox.pay({ phone: "0722000000" });
    await sandbox.pay({ phone: "0722000001", reference: "254722000000" });
    await sandbox.advanceClock("3s");
    for (const phone of ["0722000000", "254722000000"]) {
      expect((await messages(`?phone=${phone}`)).map((message) => message.checkout_request_id)).toEqual([mine]);
    }
    expect(await messages("?phone=0722000009")).toEqual([]);
  });

  test("at most 100, the newest", async () => {
    await insertDue(sandbox, 101);
    await sandbox.advanceClock("1s");
    const list = await messages();
    expect(list).toHaveLength(100);
    expect((list[0]?.at_ms ?? 0) - (list[99]?.at_ms ?? 0)).toBe(99);
    expect(list[99]?.at_ms).toBe(Date.UTC(2026, 10, 20, 7) + 2);
  });

  test("what was paid last comes first, though a hundred payments started after it", async () => {
    const id = await sandbox.pay({ phone: "254700000100" });
    await insertDue(sandbox, 101);
    await sandbox.advanceClock("1s");
    await sandbox.control("POST", `/prompts/${id}/answer`, { pin: "1234" });
    expect((await messages())[0]).toMatchObject({ checkout_request_id: id });
  });

  test.each(["phone=07", "phone=", "phone=0722000000&phone=0722000000"])("400: ?%s", async (query) => {
    const refused = await sandbox.call("GET", `/messages?${query}`);
    expect(refused.status).toBe(400);
    expectSoundAnswer(refused);
  });

  test("they survive a restart, and a reset forgets them", async () => {
    const directory = join(newFolder(), "data");
    const first = await startIn(directory);
    await first.control("POST", "/wait", { checkout_request_id: await payAtOnce(first) });
    const before = await first.control("GET", "/messages");
    expect(before.messages).toHaveLength(1);
    await first.stop();
    const second = await startIn(directory);
    expect(await second.control("GET", "/messages")).toEqual(before);
    await second.control("POST", "/reset");
    expect(await second.control("GET", "/messages")).toMatchObject({ messages: [] });
  });
});

async function payAtOnce(server: Awaited<ReturnType<typeof startIn>>): Promise<string> {
  await server.control("PUT", "/default", { outcome: "completed", after: "1ms" });
  return server.pay();
}
