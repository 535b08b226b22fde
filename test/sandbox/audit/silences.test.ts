import { describe, expect, test } from "bun:test";
import { KEPT_ASKING_MS, NEVER_POLLED_MS } from "../../../sandbox/audit/silences.ts";
import { type AuditedClient, createAuditedClient, LOST, testFindings } from "../../support/audited-client.ts";

function pollFor(client: AuditedClient, id: string, durationMs: number, intervalMs = 5000): void {
  for (let sinceMs = intervalMs; sinceMs <= durationMs; sinceMs += intervalMs) {
    client.live(intervalMs);
    client.poll(id, "pending");
  }
}

describe("never polling", () => {
  test("is found 30 s after the start, and names the request that started the payment", () => {
    const client = createAuditedClient();
    const id = client.push("A");
    client.live(NEVER_POLLED_MS - 1);
    expect(client.kinds()).toEqual([]);
    client.live(1);
    expect(client.finding()).toMatchObject({
      kind: "never_polls",
      request_ids: [1],
      checkout_request_id: id,
      first_at: "2026-11-20 10:00:00",
    });
  });

  test("is only a note if there is a webhook", () => {
    const client = createAuditedClient({ hasWebhook: true });
    client.push();
    client.live(NEVER_POLLED_MS);
    expect(client.finding()).toMatchObject({ kind: "never_polls", severity: "note" });
  });

  test("is no finding any more after a late poll, or after a list that shows the payment", () => {
    const client = createAuditedClient();
    const [one, other] = [client.push(), client.push()];
    client.live(NEVER_POLLED_MS);
    expect(client.kinds()).toEqual(["never_polls", "never_polls"]);
    client.poll(one, "pending");
    client.list("", { [other]: "pending" });
    expect(client.kinds()).toEqual([]);
  });

  testFindings("the clock was moved or frozen, so the client had no time to ask", [], (client) => {
    const id = client.push();
    client.clock.advance(600_000);
    client.end(id, "expired");
    client.freezeFor(600_000);
    client.live(NEVER_POLLED_MS - 1);
  });
  testFindings("the answer was lost, and the client did not search", ["never_polls"], (client) => {
    client.push("A", LOST);
    client.live(NEVER_POLLED_MS);
  });
  testFindings("the payment was refused", ["refused"], (client) => {
    client.refuse(400);
    client.live(NEVER_POLLED_MS);
  });
});

describe("giving up early", () => {
  test.each([
    ["completed", "error"],
    ["failed", "warning"],
    ["cancelled", "warning"],
    ["expired", "warning"],
  ] as const)("a payment that is %s later: %s, until the client asks again", (status, severity) => {
    const client = createAuditedClient();
    const id = client.push();
    pollFor(client, id, 20_000);
    client.live(10_000);
    client.end(id, status);
    expect(client.kinds()).toEqual([]);
    client.live(90_000);
    expect(client.finding()).toMatchObject({
      kind: "gives_up_early",
      severity,
      request_ids: [1, 5],
      message: expect.stringContaining("after 20 s"),
    });
    client.poll(id, status);
    expect(client.kinds()).toEqual([]);
  });

  test.each([
    [KEPT_ASKING_MS, 5000, []],
    [KEPT_ASKING_MS - 5000, 5000, ["gives_up_early"]],
    [24 * 3000, 3000, []],
    [23 * 3000, 3000, ["gives_up_early"]],
  ])("polls for %d ms, every %d ms: %j", (durationMs, intervalMs, kinds) => {
    const client = createAuditedClient();
    const id = client.push();
    pollFor(client, id, durationMs, intervalMs);
    client.live(60_000);
    client.end(id, "completed");
    client.live(600_000);
    expect(client.kinds()).toEqual(kinds as []);
  });

  testFindings("the clock was moved and frozen, so the client had no time to ask", [], (client) => {
    const id = client.push();
    pollFor(client, id, 5000);
    client.clock.advance(600_000);
    client.end(id, "expired");
    client.freezeFor(600_000);
  });

  test("is not judged while a request is delayed: it may be the next poll", () => {
    const client = createAuditedClient();
    const id = client.push();
    pollFor(client, id, 5000);
    client.end(id, "completed");
    client.live(600_000);
    expect(client.audit.report(null).findings).toEqual([]);
    expect(client.kinds()).toEqual(["gives_up_early"]);
  });
});

describe("when the process of the client ends", () => {
  /** Three payments: one polled once, one never, one until its end. */
  function exit(client: AuditedClient, disturb: () => void = () => {}): void {
    const [asked, unasked, read] = [client.push(), client.push(), client.push()];
    client.poll(asked, "pending");
    client.live(2000);
    client.end(read, "completed");
    client.poll(read, "completed");
    disturb();
    client.exit();
    client.clock.advance(60_000);
    client.end(asked, "completed");
    client.end(unasked, "completed");
  }

  testFindings("it cannot ask any more", ["gives_up_early", "never_polls"], (client) => exit(client));
  testFindings("the clock was moved before", [], (client) => exit(client, () => client.clock.advance(5000)));
  testFindings("the clock was frozen before", [], (client) => exit(client, () => client.freezeFor(5000)));
});
