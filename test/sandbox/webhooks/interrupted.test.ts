import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp } from "../../support/cleanup.ts";
import { hang } from "../../support/fake-server.ts";
import { useWebhook } from "./delivering.ts";

const { sandbox, receive, attemptsInMetrics, payAndEnd, deliveries, ended } = useWebhook();
afterAll(cleanUp);

/** Without a move of the clock, whose answer would wait for the delivery. */
async function payAndAnswer(): Promise<string> {
  const id = await sandbox.pay();
  await sandbox.control("POST", `/prompts/${id}/answer`, { pin: "1234" });
  return id;
}

describe("a delivery", () => {
  test("that a move of the clock makes due has come when the move is answered, however slow its receiver is", async () => {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    const receiver = await receive({}, () => released.then(() => new Response()));
    await sandbox.pay();
    let isMoved = false;
    const move = sandbox.advanceClock("3s").then(() => {
      isMoved = true;
    });
    await receiver.until(1);
    expect(isMoved).toBe(false);
    resolve();
    await move;
    expect(await deliveries()).toMatchObject([{ state: "delivered" }]);
  });

  test("that waits is sent to the address of a changed webhook, in the form and at the time of before", async () => {
    await receive({ form: "flat", delay: "1h" });
    const id = await payAndEnd();
    const receiver = await receive({ delay: "2h" });
    await sandbox.advanceClock("1h");
    await receiver.until(1);
    expect(receiver.received[0]?.body).toMatchObject({ checkout_request_id: id, success: true });
  });

  test("fails when the webhook is removed, while it waits or is sent; a reset forgets it", async () => {
    const { url, until: received } = await receive({}, hang);
    await payAndAnswer();
    await received(1);
    await sandbox.control("PUT", "/webhook", { url, delay: "1h" });
    await payAndAnswer();
    await sandbox.control("DELETE", "/webhook");
    const failed = { state: "failed", attempts: [] };
    expect(await deliveries()).toMatchObject([failed, failed]);
    await receive();
    await payAndEnd();
    expect(await ended(3)).toMatchObject([failed, failed, { state: "delivered" }]);
    await sandbox.control("POST", "/reset");
    expect(await sandbox.control("GET", "/webhook")).toMatchObject({ webhook: null, deliveries: [] });
  });

  test("that is being sent when a snapshot is restored ends, and counts for nothing", async () => {
    const { promise: answer, resolve } = Promise.withResolvers<Response>();
    const { until: received } = await receive({}, () => answer);
    await sandbox.control("PUT", "/snapshots/before");
    await payAndAnswer();
    await received(1);
    const [delivered = 0, failed = 0] = await attemptsInMetrics();
    await sandbox.control("POST", "/snapshots/before/restore");
    resolve(new Response());
    await receive();
    await payAndEnd();
    await ended();
    expect(await attemptsInMetrics()).toEqual([delivered + 1, failed]);
  });
});
