import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { summaryOf } from "../../../sandbox/audit/report.ts";
import { KINDS } from "../../../sandbox/audit/rules.ts";
import type { Finding } from "../../../sandbox/audit/shape.ts";
import type { FaultName } from "../../../sandbox/faults/kinds.ts";
import { formatTimestamp } from "../../../src/domain/timestamp.ts";
import type { FinalStatus, Status } from "../../../src/domain/transaction.ts";
import { testStories, type World } from "../../support/stories.ts";
import { type AuditedClient, createAuditedClient, LOST } from "./audited-client.ts";

/**
 * stories.txt: what clients do, and what the audit says of them. Advice is shown once in a story.
 *
 * The steps: `pay REFERENCE` (`-`: none, `''`: an empty one), `poll N STATUS`, `end N STATUS`, `list QUERY N=STATUS`
 * (the newest first; `pages=1/3`: the page, and how many there are), `live MS`, `freeze MS`, `advance MS` (the clock alone), `hold BODY` (a push that is delayed until the end), `forget`, `reset`, `open ACCOUNT`, `deliver N CODE` (an attempt of its webhook; `none`: nobody answers); refused are `refuse CODE BODY MESSAGE` (a payment), `ask CODE BODY` (a status) and
 * `send METHOD TARGET CODE`. `took=MS`, `agent=NAME`, `fault=disconnect` (the answer is lost), `body=JSON`, `answer=TEXT` and `lenient=MEMBER:VALUE`
 * are about a request, `ended=STATUS` (before the answer) is about a payment; all else is a member of the order. `tally` shows what happened, `over HOST…` the findings when the run is over,
 * `delayed` those while a request is delayed. `webhook` and `root` are what the server has.
 */

const REFUSED = JSON.stringify({ success: false, message: "no payment of yours" });

/** The words after the verb of a step, and what they say about the request and the order. */
interface Step {
  readonly words: readonly string[];
  readonly more: Parameters<AuditedClient["push"]>[1];
  readonly members: Readonly<Record<string, string>>;
}

/** @param advised the advice that the story has shown */
function worldOf(client: AuditedClient, advised: Set<string>): World {
  const { clock, ids } = client;
  const idOf = (number: string) => ids[Number(number) - 1] ?? number;
  const show = (found: readonly Finding[]) => found.flatMap((finding) => linesAbout(finding, advised));
  /** Each does what a step says, and returns lines if they are shown instead of the findings. */
  const VERBS: Readonly<Record<string, (subject: string, second: string, step: Step) => string[] | unknown>> = {
    pay(subject, _, { more, members }) {
      const order = Object.entries(members).map(([name, text]) => [
        name,
        ["phone", "ended"].includes(name) ? text : Number(text),
      ]);
      client.push(subject === "-" ? null : subject.replace("''", ""), more, Object.fromEntries(order));
    },
    poll: (subject, status, { more }) => client.poll(idOf(subject), (status || undefined) as Status | undefined, more),
    ask: (code, body, { more }) => client.send({ status: Number(code), body, answer: REFUSED, ...more }),
    refuse: (code, body, { more, words }) =>
      client.refuse(Number(code), JSON.parse(body || "{}"), more, words.slice(2).join(" ") || "no"),
    hold: (body, _, { more }) => client.hold(JSON.parse(body), more?.headers),
    send: (method, target, { more, words }) =>
      client.send({ method, target, status: Number(words[2]), answer: REFUSED, ...more }),
    end: (subject, status) => client.end(idOf(subject), status as FinalStatus),
    list(subject, _, { more, members, words }) {
      // The members of an object would not stay in their order: their names are numbers.
      const rows = words.filter((word) => /^[0-9]+=/.test(word)).map((word) => word.split("="));
      const shown = Object.fromEntries(rows.map(([number = "", status]) => [idOf(number), status as Status]));
      const [page, pages] = (members.pages ?? "").split("/").map(Number);
      client.list(subject === "all" ? "" : subject, shown, more, page && pages ? [page, pages] : undefined);
    },
    live: (ms) => client.live(Number(ms)),
    freeze: (ms) => client.freezeFor(Number(ms)),
    advance: (ms) => clock.advance(Number(ms)),
    forget: client.forget,
    reset: client.reset,
    open: (id) => client.openAccount(Number(id)),
    deliver: (subject, status) => client.deliver(idOf(subject), status === "none" ? null : Number(status)),
    tally: () => [summaryOf(client.report())],
    over: (_subject, _second, { words }) => show(client.report({ isWhole: true, hosts: words }).findings),
    delayed: () => show(client.reportWhileDelayed().findings),
    webhook: () => {},
    root: () => {},
  };

  return {
    ids,
    act(step) {
      const [verb = "", ...words] = step.split(" ");
      const act = VERBS[verb];
      if (!act) throw new Error(`no such step: ${step}`);
      const seen = act(words[0] ?? "", words[1] ?? "", { words, ...optionsOf(words) });
      return Array.isArray(seen) ? seen : null;
    },
    rest: () => show(client.findings()),
  };
}

function optionsOf(words: readonly string[]): Pick<Step, "more" | "members"> {
  const options = words.filter((word) => /^[a-zA-Z0-9]+=/.test(word)).map((word) => word.split(/=(.*)/, 2));
  const { took, fault, agent, key, length, lenient, body, code, answer, delivered, ...members } = Object.fromEntries(
    options,
  ) as Record<string, string>;
  const more = {
    ...(took && { durationMs: Number(took) }),
    ...(fault && { fault: fault as FaultName, isInjected: fault === "error" }),
    ...(fault === LOST.fault && LOST),
    ...(delivered && { isDelivered: delivered === "true" }),
    ...(agent && { headers: new Headers({ "User-Agent": agent }) }),
    ...(key && { headers: new Headers({ "Idempotency-Key": key }) }),
    ...(length && { headers: new Headers({ "Content-Length": length }) }),
    ...(body && { body }),
    ...(code && { status: Number(code), answer: REFUSED }),
    ...(answer && { answer }),
    ...(lenient && { leniencies: lenient.split(",").map(leniencyOf) }),
  };
  return { more, members };
}

const leniencyOf = (text: string) => {
  const [member = "", came = ""] = text.split(":");
  return { member, came };
};

function linesAbout(found: Finding, advised: Set<string>): string[] {
  const { kind, severity, message, advice, request_ids: ids, count, ...finding } = found;
  const facts = [
    `${severity} ${kind}`,
    ids.length > 9 ? `${ids.length} requests` : ids.length > 0 && `requests ${ids.join(" ")}`,
    finding.checkout_request_id && `payment ${Number(finding.checkout_request_id.slice(-20))}`,
    finding.reference && `reference ${finding.reference}`,
    finding.first_at !== "2026-11-20 10:00:00" && `at ${finding.first_at.slice(11)}`,
    count > 1 && `${count} times`,
  ];
  const lines = [`${facts.filter(Boolean).join(", ")}: ${message}`];
  if (advice === KINDS.find((one) => one.kind === kind)?.advice || advised.has(advice)) return lines;
  advised.add(advice);
  return [...lines, `  ${advice}`];
}

test("each kind of finding has a story", async () => {
  const written = await Bun.file(join(import.meta.dir, "stories.txt")).text();
  const told = new Set([...written.matchAll(/^ *(?:.* => )?(?:error|warning|note) (\w+)/gm)].map(([, kind]) => kind));
  expect(KINDS.map(({ kind }) => kind).filter((kind) => !told.has(kind))).toEqual([]);
});

describe("what the audit says of a client", () => {
  testStories(join(import.meta.dir, "stories.txt"), (story) => {
    const advised = new Set<string>();
    const isWith = (word: string) => new RegExp(`^[>-] ${word}\\b`, "m").test(story);
    const basePaths = isWith("root") ? [""] : ["/v2", "/api/v2"];
    return () => worldOf(createAuditedClient({ hasWebhook: isWith("webhook"), basePaths }), advised);
  });
});

describe("bounds", () => {
  test("a finding names 50 requests and counts more; listeners get each of these, then each doubling of the count", () => {
    const client = createAuditedClient();
    const events: Finding[] = [];
    const stop = client.audit.subscribe((finding) => void events.push(finding));
    for (let request = 0; request < 1000; request += 1) client.list("sort=x");
    const [finding] = client.findings();
    expect([finding?.request_ids.length, finding?.count]).toEqual([50, 1000]);
    expect(events).toHaveLength(50 + 4); // 64, 128, 256 and 512
    for (const { request_ids: ids, count } of events) expect(ids).toHaveLength(Math.min(count, 50));
    stop();
    client.list("order=y");
    expect(events).toHaveLength(50 + 4);
  });

  test("1,000 findings are kept, and the rest is counted", () => {
    const client = createAuditedClient();
    for (let path = 0; path <= 1000; path += 1) client.send({ target: `/v2/${path}`, status: 404 });
    expect(client.findings()).toHaveLength(1000);
    expect(client.report().omitted).toBe(1);
    client.forget();
    expect(client.report()).toMatchObject({ findings: [], omitted: 0 });
  });

  test("100 different refusals are kept, and the rest is counted", () => {
    const client = createAuditedClient();
    for (let number = 0; number < 102; number += 1) client.refuse(400, {}, {}, `m${number} is missing`);
    const { refused, refused_left_out } = client.report().tally;
    expect([refused.length, refused_left_out]).toEqual([100, 2]);
  });

  test("of one body, 20 unknown members are findings", () => {
    const client = createAuditedClient();
    client.refuse(500, Object.fromEntries(Array.from({ length: 1000 }, (_, member) => [`a${member}`, 1])));
    expect(client.findings()).toHaveLength(20);
  });

  test("a run that is over ended when its client ended, also if the clock has moved on", () => {
    const { report, clock } = createAuditedClient();
    const atMs = clock.nowMs();
    clock.advance(60_000);
    expect(report({ atMs }).findings).toMatchObject([{ first_at: formatTimestamp(atMs) }]);
  });

  test("a body can begin with a byte order mark", () => {
    const client = createAuditedClient();
    client.send({ status: 404, body: '\uFEFF{"checkout_request_id":"ws_1"}' });
    expect(client.kinds()).toEqual(["unknown_id"]);
  });

  test("an id can be a very deep array", () => {
    const client = createAuditedClient();
    client.poll(JSON.parse(`${"[".repeat(9000)}${"]".repeat(9000)}`));
    expect(client.kinds()).toEqual(["failure_misread"]);
  });
});
