import { expect, test } from "bun:test";
import { Audit } from "../../sandbox/audit/audit.ts";
import type { AuditedCall } from "../../sandbox/audit/call.ts";
import type { Finding } from "../../sandbox/audit/finding.ts";
import type { FindingKind, Severity } from "../../sandbox/audit/kinds.ts";
import { createVirtualClock } from "../../sandbox/network/clock.ts";
import type { FinalStatus, Status, Transaction } from "../../src/domain/transaction.ts";
import { INPUTS } from "../../src/http/api.ts";
import { START_MS } from "./harness.ts";
import { createManualClock } from "./manual-clock.ts";

/** What a fault or the log adds to a request, such as its duration. */
type More = Partial<AuditedCall>;

export type AuditedClient = ReturnType<typeof createAuditedClient>;

/** The requests of a client, as the audit gets them: without a server, in a time that the test moves. */
export function createAuditedClient({ hasWebhook = false, basePaths = ["/v2", "/api/v2"] } = {}) {
  const [basePath] = basePaths;
  const realClock = createManualClock(START_MS);
  const clock = createVirtualClock(realClock);
  const audit = new Audit({ basePaths, inputs: () => INPUTS, hasWebhook: () => hasWebhook });
  const transactions = new Map<unknown, Transaction>();
  const phones = new Map<string | null, string>();
  let requests = 0;
  const moment = () => ({ nowMs: clock.nowMs(), realMs: realClock.nowMs(), livedMs: clock.livedMs() });
  const findings = (): readonly Finding[] => audit.report(moment()).findings;

  function send(call: More): void {
    requests += 1;
    audit.call(
      {
        id: requests,
        atMs: clock.nowMs() - (call.durationMs ?? 0),
        durationMs: 0,
        method: "POST",
        target: `${basePath}/status.php`,
        headers: new Headers(),
        body: null,
        status: 200,
        answer: null,
        fault: null,
        leniencies: [],
        ...call,
      },
      moment(),
    );
  }

  return {
    audit,
    realClock,
    clock,
    /** Sends any request; by default to /status.php. */
    send,
    /** Time passes, for the client and for the sandbox. */
    live: (durationMs: number) => realClock.advance(durationMs),
    /** Time passes while the clock of the sandbox is frozen. */
    freezeFor(durationMs: number) {
      clock.freeze();
      realClock.advance(durationMs);
      clock.resume();
    },
    /** Starts a payment: of a new customer, or of the one with this reference. Returns its checkout request id. */
    push(reference: string | null = null, more: More = {}, order: object = {}): string {
      const number = transactions.size + 1;
      const newPhone = String(254_700_000_000 + number);
      if (reference && !phones.has(reference)) phones.set(reference, newPhone);
      const id = `ws_CO_20112026100000_${String(number).padStart(20, "0")}`;
      // The audit reads no other members.
      const transaction = {
        id: number,
        checkoutRequestId: id,
        merchantRequestId: id.replace("CO", "MR"),
        merchantId: 1,
        paymentAccountId: 1,
        phone: phones.get(reference) ?? newPhone,
        amountCents: 100,
        reference,
        status: "pending",
        ...order,
      };
      transactions.set(id, transaction as Transaction);
      audit.changed(transaction as Transaction, moment());
      const { phone, amountCents } = transaction;
      const body = { payment_account_id: 1, phone, amount: amountCents / 100, reference };
      const answer = { success: true, checkout_request_id: id };
      send({ target: `${basePath}/stkpush.php`, body: JSON.stringify(body), answer: JSON.stringify(answer), ...more });
      return id;
    },
    /** Starts a payment that is refused. */
    refuse(status: number, body: object = {}, more: More = {}, message = "no") {
      const target = `${basePath}/stkpush.php`;
      send({
        target,
        body: JSON.stringify(body),
        status,
        answer: JSON.stringify({ success: false, message }),
        ...more,
      });
    },
    /** @param status what the answer says; without one the poll is refused */
    poll(id: unknown, status?: Status, more: More = {}) {
      const answer =
        status === undefined ? { success: false, message: "no payment of yours" } : { success: true, status };
      send({
        body: JSON.stringify({ checkout_request_id: id }),
        status: status === undefined ? 404 : 200,
        answer: JSON.stringify(answer),
        ...more,
      });
    },
    /** @param shown the payments in the answer, and their status */
    list(query = "", shown: Readonly<Record<string, Status>> = {}, more: More = {}) {
      const rows = Object.entries(shown).map(([id, status]) => ({ id: transactions.get(id)?.id, type: "API", status }));
      const answer = JSON.stringify({ success: true, transactions: rows });
      send({ method: "GET", target: `${basePath}/transactions.php${query && `?${query}`}`, answer, ...more });
    },
    /** The payment becomes final. */
    end: (id: string, status: FinalStatus) =>
      audit.changed({ ...transactions.get(id), status } as Transaction, moment()),
    /** The process of the client ends. */
    exit: () => audit.clientEnded(moment()),
    forget: () => audit.forget(moment()),
    findings,
    kinds: () => findings().map(({ kind }) => kind),
    tally: () => audit.report(null).tally,
    /** The only finding. */
    finding(): Finding {
      const [finding, ...more] = findings();
      if (!finding || more.length > 0) throw new Error(`not one finding: ${findings().map(({ kind }) => kind)}`);
      return finding;
    },
  };
}

/** Another program of the client. */
export const program = (name: string) => ({ headers: new Headers({ "User-Agent": name }) });

/** The connection was closed before the answer. */
export const LOST = { status: null, fault: "disconnect" } as const;

/**
 * Plays a story, such as `pay A; live 700; poll 1 failed; pay A fault=disconnect`. Payments are numbered in their order.
 *
 * `pay REFERENCE` (`-`: none), `poll N STATUS`, `end N STATUS`, `list QUERY N=STATUS`, `live MS`, `freeze MS`, `advance MS`
 * (the clock alone), `refuse STATUS`, `exit`. `took=MS` and `fault=disconnect` (the answer is lost) and `agent=NAME` are about a request; all else is a member of the order.
 */
function play(client: AuditedClient, story: string, order: object = {}): void {
  const ids: string[] = [];
  const idOf = (number = "") => ids[Number(number) - 1] ?? number;
  for (const step of story.split("; ")) {
    const [verb, ...words] = step.split(" ");
    const [subject = "", status] = words;
    const named = words.slice(1).map((word) => word.split("="));
    const { took, fault, agent, ...members } = Object.fromEntries(named) as Record<string, string>;
    const more = {
      ...(took && { durationMs: Number(took) }),
      ...(fault && { fault }),
      ...(fault === LOST.fault && LOST),
      ...(agent && program(agent)),
    };
    if (verb === "pay") {
      const numbers = Object.entries(members).map(([name, text]) => [name, name === "phone" ? text : Number(text)]);
      ids.push(client.push(subject === "-" ? null : subject, more, { ...order, ...Object.fromEntries(numbers) }));
    } else if (verb === "poll") client.poll(idOf(subject), status as Status, more);
    else if (verb === "end") client.end(idOf(subject), status as FinalStatus);
    else if (verb === "list")
      client.list(
        subject,
        Object.fromEntries(Object.entries(members).map(([number, shown]) => [idOf(number), shown as Status])),
      );
    else if (verb === "live") client.live(Number(subject));
    else if (verb === "freeze") client.freezeFor(Number(subject));
    else if (verb === "advance") client.clock.advance(Number(subject));
    else if (verb === "exit") client.exit();
    else if (verb === "refuse") client.refuse(Number(subject));
    else throw new Error(`no such step: ${step}`);
  }
}

/** Defines a test: what a client does, as a story or a function, and the findings for it: `kind`, or `severity kind`. */
export function testFindings(
  name: string,
  expected: readonly (FindingKind | `${Severity} ${FindingKind}`)[],
  act: string | ((client: AuditedClient) => void),
  order: object = {},
): void {
  test(`${name}: ${expected.join(", ") || "no finding"}`, () => {
    const client = createAuditedClient();
    if (typeof act === "string") play(client, act, order);
    else act(client);
    const withSeverity = expected.some((finding) => finding.includes(" "));
    const found = client.findings().map(({ severity, kind }) => (withSeverity ? `${severity} ${kind}` : kind));
    expect(found.sort()).toEqual([...expected]);
  });
}
