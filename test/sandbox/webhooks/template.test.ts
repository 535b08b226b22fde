import { afterAll, describe, expect, test } from "bun:test";
import { TEMPLATE_NAMES } from "../../../sandbox/webhooks/template.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { startReceiver } from "../../support/fake-server.ts";
import { useScene } from "../../support/scene.ts";

/** A webhook in the words of a shop's real provider. */

const sandbox = useScene();
afterAll(cleanUp);

/** The message about a payment, as a receiver gets it. */
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

const NAMES = `the names are ${TEMPLATE_NAMES.join(", ")}`;
const most = (bytes: number) => ({ a: "{{status}}", b: "x".repeat(bytes - '{"a":"{{status}}","b":""}'.length) });

describe("a template that would not do what it should is refused, and the webhook stays as it was", () => {
  test.each<[what: string, settings: object, message: string]>([
    ["no JSON", { template: "{order" }, 'template must be a JSON object; it is a string, "{order"'],
    ["a list", { template: ["{{status}}"] }, "template must be a JSON object; it is an array"],
    ["null", { template: null }, "template must be a JSON object; it is null"],
    ["nothing", { template: {} }, `template must name a value of the payment, such as "{{status}}"; ${NAMES}`],
    [
      "no value",
      { template: { a: "status" } },
      `template must name a value of the payment, such as "{{status}}"; ${NAMES}`,
    ],
    [
      "only a member",
      { template: { "{{status}}": 1 } },
      `template must name a value of the payment, such as "{{status}}"; ${NAMES}`,
    ],
    [
      "an unknown value",
      { template: { a: "{{state}}" } },
      `template must name values of the payment, and "state" is none; ${NAMES}`,
    ],
    [
      "a name of every object",
      { template: { a: "{{constructor}}" } },
      `template must name values of the payment, and "constructor" is none; ${NAMES}`,
    ],
    ["half a name", { template: { a: "{{status}" } }, `template must close each {{ with }}, around a name; ${NAMES}`],
    ["too large", { template: most(4097) }, "template must have at most 4096 bytes as JSON; it has 4097"],
    ["10 KB", { template: most(10_240) }, "template must have at most 4096 bytes as JSON; it has 10240"],
    [
      "bytes of letters",
      { template: { a: "{{status}}", b: "é".repeat(2040) } },
      "template must have at most 4096 bytes as JSON; it has 4105",
    ],
    ["none", {}, "template is missing: the form template needs it"],
    ["of another form", { form: "flat", template: { a: "{{status}}" } }, 'template is only for "form": "template"'],
  ])("%s", async (_what, settings, message) => {
    await sandbox.control("DELETE", "/webhook");
    const body = { url: "http://127.0.0.1:9/hook", form: "template", ...settings };
    const refused = await sandbox.call("PUT", "/webhook", { json: body });
    expect([refused.status, refused.body.message]).toEqual([400, message]);
    expect(refused.body.issues).toMatchObject([{ path: "template" }]);
    expect(await sandbox.control("GET", "/webhook")).toMatchObject({ webhook: null });
  });

  test("4,096 bytes are taken", async () => {
    const body = { url: "http://127.0.0.1:9/hook", form: "template", template: most(4096) };
    expect(await sandbox.call("PUT", "/webhook", { json: body })).toMatchObject({ status: 200 });
  });

  test("six hundred objects in one another are taken", async () => {
    const template = JSON.parse(`${'{"a":'.repeat(600)}"{{status}}"${"}".repeat(600)}`);
    expect(JSON.stringify(await received(template))).toBe(JSON.stringify(template).replace("{{status}}", "completed"));
  });
});
