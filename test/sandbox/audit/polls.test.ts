import { describe, expect, test } from "bun:test";
import { MOST_POLLERS } from "../../../sandbox/audit/payments.ts";
import { FASTEST_POLL_MS } from "../../../sandbox/audit/polls.ts";
import { type AuditedClient, createAuditedClient, LOST, testFindings } from "../../support/audited-client.ts";

const program = (name: string) => ({ headers: new Headers({ "User-Agent": name }) });

function pollTwice(client: AuditedClient, intervalMs: number): void {
  const id = client.push();
  client.poll(id, "pending");
  client.live(intervalMs);
  client.poll(id, "pending");
}

describe("polling too fast", () => {
  test("is a warning that counts the polls, and shows the first interval", () => {
    const client = createAuditedClient();
    const id = client.push();
    for (const waitMs of [500, 1200, 1000, 3000]) {
      client.live(waitMs);
      client.poll(id, "pending");
    }
    expect(client.finding()).toMatchObject({
      kind: "polls_too_fast",
      severity: "warning",
      request_ids: [3, 4],
      count: 2,
      message: expect.stringContaining("after 1.2 s"),
    });
  });

  testFindings("3 s less the delays of a busy machine", [], (client) => pollTwice(client, FASTEST_POLL_MS));
  testFindings("1 ms faster", ["polls_too_fast"], (client) => pollTwice(client, FASTEST_POLL_MS - 1));
  testFindings("another payment, another program, or before the last answer", [], (client) => {
    const [one, other] = [client.push(), client.push()];
    client.poll(one, "pending");
    client.live(100);
    client.poll(other, "pending");
    client.poll(one, "pending", program("curl/8"));
    client.live(2000);
    client.poll(one, "pending", { durationMs: 2101 });
  });
});

describe("polling after the end", () => {
  test.each([
    ["failed", "ignores_final"],
    ["cancelled", "ignores_final"],
    ["expired", "ignores_final"],
    ["completed", "polls_after_completed"],
  ] as const)("%s: %s, and the message names the status", (status, kind) => {
    const client = createAuditedClient();
    const id = client.push("A");
    for (let poll = 0; poll < 3; poll += 1) {
      client.poll(id, status);
      client.live(5000);
    }
    expect(client.finding()).toMatchObject({
      kind,
      request_ids: [3, 4],
      count: 2,
      reference: "A",
      message: expect.stringContaining(`“${status}”`),
    });
  });

  testFindings("while the clock is frozen", ["ignores_final"], (client) => {
    const id = client.push();
    for (let poll = 0; poll < 3; poll += 1) {
      client.poll(id, "cancelled");
      client.freezeFor(2);
    }
  });
  testFindings(
    "one poll that was sent before the final answer arrived, and one that arrived before it",
    [],
    (client) => {
      const id = client.push();
      client.poll(id, "completed");
      client.live(10);
      client.poll(id, "completed");
      client.live(1000);
      client.poll(id, "completed", { durationMs: 1500 });
    },
  );
  testFindings("the second poll just after the final answer", ["polls_after_completed"], (client) => {
    const id = client.push();
    for (let poll = 0; poll < 3; poll += 1) client.poll(id, "completed");
  });
  testFindings("one request long after the end", [], (client) => {
    const id = client.push();
    client.poll(id, "completed");
    client.live(3_600_000);
    client.poll(id, "completed");
  });

  test("a lost answer after the final one does not make the client forget it", () => {
    const client = createAuditedClient();
    const id = client.push();
    for (const lost of [{}, LOST, {}]) {
      client.poll(id, "completed", lost);
      client.live(3000);
    }
    expect(client.finding()).toMatchObject({ kind: "polls_after_completed", count: 2 });
  });

  test(`the audit distinguishes ${MOST_POLLERS} programs for one payment, and forgets the oldest`, () => {
    const client = createAuditedClient();
    const id = client.push();
    for (let name = 0; name <= MOST_POLLERS; name += 1) client.poll(id, "completed", program(`client ${name}`));
    client.live(3000);
    client.poll(id, "completed", program("client 0"));
    expect(client.kinds()).toEqual([]);
    client.poll(id, "completed", program(`client ${MOST_POLLERS}`));
    expect(client.kinds()).toEqual(["polls_after_completed"]);
  });
});
