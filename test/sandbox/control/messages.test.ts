import { describe, expect, test } from "bun:test";
import { insertDue } from "../../support/pending.ts";
import { useSteered } from "../../support/steered.ts";

const sandbox = useSteered();

interface Message {
  readonly text: string;
  readonly at_ms: number;
  readonly checkout_request_id: string;
}
const messages = async (query = "") =>
  (await sandbox.control("GET", `/messages${query}`)).messages as readonly Message[];

describe("GET /_momo/messages: the last messages to customers, newest first", () => {
  test("the receipt of each customer who paid, and none for others", async () => {
    const id = await sandbox.pay({ amount: 1200, reference: "REF" });
    await sandbox.pay({ phone: "254700000032" });
    expect(await messages()).toEqual([]);
    await sandbox.advanceClock("3s");
    const listed = (await sandbox.list()).find(({ checkout_request_id }) => checkout_request_id === id);
    expect(await sandbox.control("GET", "/messages")).toEqual({
      success: true,
      message: "1 message",
      messages: [
        {
          phone: "254712345678",
          text: `${listed?.momo_receipt_number} Confirmed. Ksh1,200.00 sent to First Shop for account REF on 20/11/26 at 10:00 AM`,
          at: "2026-11-20 10:00:03",
          at_ms: Date.UTC(2026, 10, 20, 7, 0, 3),
          checkout_request_id: id,
        },
      ],
    });
  });

  test("of all merchants, in the order in which they were paid", async () => {
    const late = await sandbox.pay({ phone: "254700000030" });
    const early = await sandbox.pay({ payment_account_id: sandbox.other.accountId }, sandbox.other.headers);
    await sandbox.advanceClock("1m");
    const list = await messages();
    expect(list.map((message) => message.checkout_request_id)).toEqual([late, early]);
    expect(list[1]?.text).toContain("sent to Second Shop");
  });

  test("?phone= those to one phone, in either form, and not those that have it only in their text", async () => {
    const id = await sandbox.pay({ phone: "0722000000" });
    await sandbox.pay({ phone: "0722000001", reference: "254722000000" });
    await sandbox.advanceClock("3s");
    for (const phone of ["0722000000", "254722000000"]) {
      expect((await messages(`?phone=${phone}`)).map((message) => message.checkout_request_id)).toEqual([id]);
    }
    expect(await messages("?phone=0722000009")).toEqual([]);
  });

  test("at most 100, those that were paid last, even if they started first", async () => {
    const id = await sandbox.pay({ phone: "254700000100" });
    await insertDue(sandbox, 101);
    await sandbox.advanceClock("1s");
    const list = await messages();
    expect(list).toHaveLength(100);
    expect(list[0]?.at_ms).toBe(Date.UTC(2026, 10, 20, 7) + 101);
    expect(list[99]?.at_ms).toBe(Date.UTC(2026, 10, 20, 7) + 2);
    await sandbox.control("POST", `/prompts/${id}/answer`, { pin: "1234" });
    expect((await messages())[0]).toMatchObject({ checkout_request_id: id });
  });

  test("a bad phone is refused", async () => {
    for (const query of ["phone=07", "phone=", "phone=0722000000&phone=0722000000"]) {
      await sandbox.refusal("GET", `/messages?${query}`);
    }
  });
});
