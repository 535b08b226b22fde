import { describe, expect, test } from "bun:test";
import { type AuditedClient, createAuditedClient, LOST, program, testFindings } from "../../support/audited-client.ts";

/** Stands here once more, so that another value is noticed. */
const FASTEST_POLL_MS = 2500;
const KEPT_ASKING_MS = 110_000;
const MOST_POLLERS = 4;
const NEVER_POLLED_MS = 30_000;
const PATTERN_POLLS = 24;

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

  const twice = (intervalMs: number) => `pay -; poll 1 pending; live ${intervalMs}; poll 1 pending`;
  testFindings("3 s less the delays of a busy machine", [], twice(FASTEST_POLL_MS));
  testFindings("1 ms faster", ["polls_too_fast"], twice(FASTEST_POLL_MS - 1));
  const another = "pay -; pay -; poll 1 pending; live 100; poll 2 pending; poll 1 pending agent=curl/8; live 2000";
  const before = "poll 1 pending took=2101";
  testFindings("another payment, another program, or before the last answer", [], `${another}; ${before}`);
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

  const END = "poll 1 completed";
  const FROZEN = "poll 1 cancelled; freeze 2";
  testFindings("while the clock is frozen", ["ignores_final"], `pay -; ${FROZEN}; ${FROZEN}; ${FROZEN}`);
  const crossing = `pay -; ${END}; live 10; ${END}; live 1000; ${END} took=1500`;
  testFindings("one poll that was sent before the final answer arrived, and one that arrived before it", [], crossing);
  const thrice = `pay -; ${END}; ${END}; ${END}`;
  testFindings("the second poll just after the final answer", ["polls_after_completed"], thrice);
  testFindings("one request long after the end", [], `pay -; ${END}; live 3600000; ${END}`);

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

  testFindings("a search for it that was refused: the client asked", ["refused"], (client) => {
    const id = client.push();
    client.live(NEVER_POLLED_MS);
    client.list(`search=${id}&page=0`, {}, { status: 400 });
  });

  const moved = `pay -; advance 600000; end 1 expired; freeze 600000; live ${NEVER_POLLED_MS - 1}`;
  testFindings("the clock was moved or frozen, so the client had no time to ask", [], moved);
  const lost = `pay A fault=disconnect; live ${NEVER_POLLED_MS}`;
  testFindings("the answer was lost, and the client did not search", ["never_polls"], lost);
  testFindings("a list of other payments is no poll", ["never_polls"], `pay A; live 1; list; live ${NEVER_POLLED_MS}`);
  testFindings("the payment was refused", ["refused"], `refuse 400; live ${NEVER_POLLED_MS}`);
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

  test("a search in the list counts like a poll, and the whole list does not", () => {
    for (const [query, kinds] of [
      ["search=A", []],
      ["", ["gives_up_early"]],
    ] as const) {
      const client = createAuditedClient();
      const id = client.push("A");
      for (let count = 0; count < 4; count += 1) {
        client.live(3000);
        client.poll(id, "pending");
      }
      for (let count = 0; count < PATTERN_POLLS - 4; count += 1) {
        client.live(3000);
        client.list(query, { [id]: "pending" });
      }
      client.end(id, "completed");
      client.live(600_000);
      expect(client.kinds()).toEqual([...kinds]);
    }
  });

  const moved = "pay -; live 5000; poll 1 pending; advance 600000; end 1 expired; freeze 600000";
  testFindings("the clock was moved and frozen, so the client had no time to ask", [], moved);

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
  const three = "pay -; pay -; pay -; poll 1 pending; live 2000; end 3 completed; poll 3 completed";
  const exit = "exit; advance 60000; end 1 completed; end 2 completed";
  testFindings("it cannot ask any more", ["gives_up_early", "never_polls"], `${three}; ${exit}`);
  testFindings("the clock was moved before", [], `${three}; advance 5000; ${exit}`);
  testFindings("the clock was frozen before", [], `${three}; freeze 5000; ${exit}`);
});
