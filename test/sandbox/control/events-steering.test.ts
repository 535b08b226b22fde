import { describe, expect, test } from "bun:test";
import { HOST } from "../../support/control.ts";
import { readEvents } from "../../support/event-stream.ts";
import { openSteered } from "../../support/steered.ts";
import { forEachTest } from "../../support/use.ts";

const sandbox = forEachTest(openSteered);

const listen = async () =>
  readEvents(await sandbox.handle(new Request(`http://${HOST}/_momo/events`, { headers: { Host: HOST } })));

const CHANGES: [method: string, path: string, json: unknown, what: string][] = [
  ["POST", "/rules", { outcome: "cancelled" }, "rules"],
  ["PUT", "/rules", [], "rules"],
  ["DELETE", "/rules", undefined, "rules"],
  ["PUT", "/default", { outcome: "manual" }, "default"],
  ["POST", "/clock", { freeze: true }, "clock"],
  ["PUT", "/faults", { faults: [] }, "faults"],
  ["DELETE", "/faults", undefined, "faults"],
  ["POST", "/merchants", { name: "Shop" }, "registry"],
  ["POST", "/accounts", { name: "Till" }, "registry"],
  ["POST", "/keys", { label: "staging" }, "registry"],
  ["POST", "/reset", undefined, "reset"],
];

describe("steering: what somebody has changed, so that every page looks again", () => {
  for (const [method, path, json, what] of CHANGES) {
    test(`${method} ${path}: ${what}`, async () => {
      const stream = await listen();
      await sandbox.control(method, path, json);
      await stream.until(() => stream.events.length > 0);
      expect(stream.events).toMatchObject([{ name: "steering", data: { what } }]);
      await stream.leave();
    });
  }

  test("a key that is revoked", async () => {
    const stream = await listen();
    await sandbox.control("DELETE", `/keys/${sandbox.other.key.apiKey}`);
    await stream.until(() => stream.events.length > 0);
    expect(stream.events).toMatchObject([{ name: "steering", data: { what: "registry" } }]);
    await stream.leave();
  });

  test("it comes after what it brought about", async () => {
    const stream = await listen();
    await sandbox.pay({ phone: "254700000032" });
    await sandbox.control("POST", "/clock", { advance: "3s" });
    await stream.until(() => stream.events.length === 4);
    expect(stream.events.map(({ name }) => name)).toEqual(["transaction", "request", "transaction", "steering"]);
    await stream.leave();
  });

  test("a call that looks, or is refused, steers nothing", async () => {
    const stream = await listen();
    for (const path of ["/rules", "/default", "/clock", "/faults", "/merchants", "/accounts", "/keys"]) {
      await sandbox.control("GET", path);
    }
    await sandbox.refusal("PUT", "/default", { outcome: "paid" });
    await sandbox.refusal("POST", "/rules", {});
    await sandbox.call("DELETE", "/keys/mk_nobody");
    await sandbox.control("POST", "/reset");
    await stream.until(() => stream.events.length > 0);
    expect(stream.events).toMatchObject([{ name: "steering", data: { what: "reset" } }]);
    await stream.leave();
  });
});
