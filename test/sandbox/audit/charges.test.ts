import { describe, expect, test } from "bun:test";
import { createAuditedClient, LOST, testFindings } from "../../support/audited-client.ts";

describe("charging a reference twice", () => {
  test("while the first payment is pending is an error that names both requests", () => {
    const client = createAuditedClient();
    client.push("A");
    client.live(5000);
    const second = client.push("A");
    expect(client.finding()).toMatchObject({
      kind: "charges_twice",
      severity: "error",
      request_ids: [1, 2],
      checkout_request_id: second,
      reference: "A",
      first_at: "2026-11-20 10:00:05",
      count: 1,
    });
  });

  testFindings("another reference, or none", [], (client) => {
    for (const reference of ["A", "B", null, null, "", ""]) client.push(reference);
  });
  testFindings("after the first payment has ended", [], (client) => {
    client.end(client.push("A"), "failed");
    client.live(1);
    client.push("A");
  });
  testFindings("the first payment ends after the second has started", ["charges_twice"], (client) => {
    const first = client.push("A");
    client.live(3000);
    client.push("A");
    client.end(first, "failed");
  });
  testFindings("the answer was lost, and the client did not search", ["charges_twice"], (client) => {
    const first = client.push("A", LOST);
    client.live(10_000);
    client.end(first, "failed");
    client.live(10_000);
    client.push("A");
  });
  testFindings("the answer was lost, and the list showed that the payment is pending", ["charges_twice"], (client) => {
    const first = client.push("A", LOST);
    client.live(1000);
    client.list("search=A", { [first]: "pending" });
    client.live(1000);
    client.push("A");
  });
  testFindings("the first request arrives late, and the client did not search", ["charges_twice"], (client) => {
    client.live(10_000);
    const second = client.push("A");
    client.poll(second, "completed");
    client.end(second, "completed");
    client.live(9000);
    client.push("A", { durationMs: 19_000, fault: "delay" });
  });
});

describe("reading a refusal as a payment", () => {
  test.each([[undefined], [null], [""], ["undefined"], ["[object Object]"]])(
    "a poll for %p names both requests",
    (id) => {
      const client = createAuditedClient();
      client.refuse(500);
      client.poll(id);
      expect(client.finding()).toMatchObject({
        kind: "failure_misread",
        request_ids: [1, 2],
        message: expect.stringContaining("HTTP 500"),
      });
    },
  );

  testFindings("no id, also without a refusal", ["failure_misread"], (client) => {
    client.push("A");
    client.poll(undefined);
  });
  testFindings("the client's own number of the order, after a refusal", ["failure_misread"], (client) => {
    client.refuse(400);
    client.poll("ORDER-7");
  });
  testFindings("an id that the sandbox has forgotten", [], (client) => {
    client.refuse(400);
    client.poll("ws_CO_20112026100000_FORGOTTEN");
  });
  testFindings("an id under a wrong name", ["unknown_member"], (client) => {
    client.refuse(400);
    client.send({ body: '{"checkoutRequestId":"ws_CO_1"}', status: 400 });
  });
});
