import { afterAll, describe, expect, test } from "bun:test";
import { TEMPLATE_NAMES } from "../../../sandbox/webhooks/template.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { startReceiver } from "../../support/fake-server.ts";
import { useScene } from "../../support/scene.ts";

/** A webhook in the words of a shop's real provider. */

const sandbox = useScene();
afterAll(cleanUp);

async function received(template: object, order: Record<string, unknown> = {}): Promise<unknown> {
  const receiver = startReceiver();
  await sandbox.control("PUT", "/webhook", { url: receiver.url, form: "template", template });
  await sandbox.pay({ reference: "ORDER-7", ...order });
  await sandbox.advanceClock("3s");
  await receiver.until(1);
  return receiver.received[0]?.body;
}

const CANCELS = { phone: "254700000032" };

describe("a text that is only a name becomes the value, with its type; in other texts it is written", () => {
  test.each<[what: string, template: object, order: Record<string, unknown>, message: object]>([
    ["texts", { a: "{{reference}}", b: ["{{ status }}"] }, {}, { a: "ORDER-7", b: ["completed"] }],
    ["numbers", { a: "{{amount}}", b: " {{result_code}} " }, { amount: 100.5 }, { a: 100.5, b: 0 }],
    ["booleans", { paid: "{{success}}" }, CANCELS, { paid: false }],
    ["null", { receipt: "{{receipt}}", code: "{{transaction_code}}" }, CANCELS, { receipt: null, code: null }],
    ["within a text", { a: "KES {{amount}} of {{phone}}" }, {}, { a: "KES 100 of 254712345678" }],
    ["null within a text", { a: "[{{receipt}}]" }, CANCELS, { a: "[]" }],
    ["what is no text stays", { a: 1, b: null, c: true, d: [{}], e: "{{status}}" }, CANCELS, { e: "cancelled" }],
    ["a reference is no template", { a: "{{reference}}" }, { reference: "{{amount}}" }, { a: "{{amount}}" }],
    ["a reference with a pattern of replace", { a: "x{{reference}}" }, { reference: "$&$1" }, { a: "x$&$1" }],
  ])("%s", async (_what, template, order, message) => {
    expect(await received(template, order)).toMatchObject(message);
  });

  test("two receivers that read neither of the other forms read a paid order", async () => {
    const template = { checkout_request_id: "{{checkout_request_id}}", data: { status: "{{status}}" } };
    expect(await received(template)).toEqual({
      checkout_request_id: expect.stringMatching(/^ws_CO_/),
      data: { status: "completed" },
    });
    const flat = { reference: "{{reference}}", status: "{{status}}", receipt: "{{receipt}}" };
    expect(await received(flat)).toEqual({
      ...{ reference: "ORDER-7", status: "completed" },
      receipt: expect.stringMatching(/^[0-9A-Z]{10}$/),
    });
  });

  test("every name has a value of a completed payment", async () => {
    const template = Object.fromEntries(TEMPLATE_NAMES.map((name) => [name, `{{${name}}}`]));
    const message = (await received(template, { description: "Socks" })) as object;
    expect(Object.keys(message)).toEqual([...TEMPLATE_NAMES]);
    expect(Object.values(message)).not.toContain(null);
  });
});

test("a delivery keeps its message when the settings change", async () => {
  const first = startReceiver();
  const template = { state: "{{status}}" };
  await sandbox.control("PUT", "/webhook", { url: first.url, form: "template", template, delay: "1h" });
  await sandbox.pay();
  await sandbox.advanceClock("3s");
  const second = startReceiver();
  await sandbox.control("PUT", "/webhook", { url: second.url, form: "flat" });
  await sandbox.advanceClock("1h");
  await second.until(1);
  expect(second.received[0]?.body).toEqual({ state: "completed" });
});

test("a test event, the list and a snapshot have the template", async () => {
  const receiver = startReceiver();
  const webhook = { url: receiver.url, form: "template", template: { order: "{{reference}}" } };
  await sandbox.control("PUT", "/webhook", webhook);
  await sandbox.control("PUT", "/snapshots/templated", {});
  expect((await sandbox.control("POST", "/webhook/test", {})).body).toEqual({ order: "TEST" });
  await sandbox.control("DELETE", "/webhook");
  await sandbox.control("POST", "/snapshots/templated/restore");
  expect(await sandbox.control("GET", "/webhook")).toMatchObject({ webhook });
});

test("six hundred objects in one another are taken", async () => {
  const template = JSON.parse(`${'{"a":'.repeat(600)}"{{status}}"${"}".repeat(600)}`);
  expect(JSON.stringify(await received(template))).toBe(JSON.stringify(template).replace("{{status}}", "completed"));
});
