import { afterAll, beforeAll, expect, test } from "bun:test";
import { startSandbox, type TestSandbox } from "momo-sandbox/testing";

let sandbox: TestSandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ frozen: true });
});
afterAll(() => sandbox.stop());

test("a customer who cancels is not charged", async () => {
  await sandbox.rules.add({ outcome: "cancelled", times: 1 });
  const answer = await fetch(`${sandbox.baseUrl}/stkpush.php`, {
    method: "POST",
    headers: { ...sandbox.headers, "Content-Type": "application/json" },
    body: JSON.stringify({ payment_account_id: sandbox.paymentAccountId, phone: "0712345678", amount: 100 }),
  });
  const { checkout_request_id } = (await answer.json()) as { checkout_request_id: string };
  await sandbox.clock.advance("3s");
  const payment = await sandbox.wait({ checkoutRequestId: checkout_request_id });
  expect(payment.status).toBe("cancelled");
});
