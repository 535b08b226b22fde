import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { startSandbox, type TestSandbox } from "momo-sandbox/testing";
import { checkout } from "./checkout.ts";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ frozen: true });
});
afterEach(() => sandbox.reset().then(() => sandbox.clock.freeze()));
afterAll(() => sandbox.stop());

const order = { phone: "0712345678", amount: 100, reference: "ORDER-1" };

/** The test does not wait: between two polls it advances the sandbox's clock by three seconds. */
const buy = () => checkout(sandbox, order, () => sandbox.clock.advance("3s"));

test("a customer who pays", async () => {
  expect(await buy()).toBe("paid");
  expect(await sandbox.wait({ reference: "ORDER-1" })).toMatchObject({ status: "completed", amount: 100 });
});

test("a customer who cancels", async () => {
  await sandbox.rules.add({ outcome: "cancelled", times: 1 });
  expect(await buy()).toBe("cancelled");
});

test("a customer who does nothing", async () => {
  await sandbox.rules.add({ match: { reference: "ORDER-1" }, outcome: "silent" });
  expect(await buy()).toBe("expired");
});

test("a customer without money", async () => {
  await sandbox.rules.add({ match: { phone: "0712345678" }, outcome: "insufficient_funds", after: "10s" });
  expect(await buy()).toBe("failed");
});

test("the payment service fails twice, and then works: one payment", async () => {
  await sandbox.faults.set([{ kind: "error", path: "/stkpush.php", times: 2 }]);
  expect(await buy()).toBe("paid");
  const pushes = (await sandbox.requests()).filter(({ target }) => target.endsWith("/stkpush.php"));
  expect(pushes.map(({ status, fault }) => [status, fault])).toEqual([
    [500, "error"],
    [500, "error"],
    [200, null],
  ]);
});

test("the payment service keeps failing: the order is not paid", async () => {
  await sandbox.faults.set([{ kind: "error", status: 503 }]);
  expect(await buy().catch(String)).toContain("HTTP 503");
});

test("a customer whom the test plays", async () => {
  let asked = false;
  const customer = async () => {
    const { checkout_request_id } = await sandbox.wait({ reference: "ORDER-1" }, "pending");
    if (!asked)
      expect(await sandbox.answer(checkout_request_id, { pin: "1234" })).toMatchObject({ status: "completed" });
    asked = true;
  };
  await sandbox.rules.add({ outcome: "manual" });
  expect(await checkout(sandbox, order, customer)).toBe("paid");
});
