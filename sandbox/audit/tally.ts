import type { Delivery } from "../../src/domain/delivery.ts";
import type { TallyOnWire } from "../control/shapes/requests.ts";
import type { AnsweredRequest } from "../request-log.ts";
import { clean, isByFault, messageOf } from "./call.ts";
import { knownMs, type Payment } from "./payments.ts";

export type Tally = TallyOnWire;
type Refused = Tally["refused"][number];

/** How many different refusals are kept. */
const MOST_REFUSALS = 100;

/** Longer than the messages of the sandbox, but for those with long values of the client. */
const MOST_SHOWN = 300;

/** What a refusal quotes, and the value that it shows at its end. */
const CAME = /(?:"(?:[^"\\]|\\.)*"|(?<=; it is )[^;"]+)+/g;

/** Counts requests and payments, in bounded memory. */
export function createTally() {
  const refused = new Map<string, { -readonly [Name in keyof Refused]: Refused[Name] }>();
  const payments = { started: 0, paid: 0, not_followed: 0 };
  let requests = 0;
  let accepted = 0;
  let leftOut = 0;
  let byFaults = 0;
  let lenientTakes = 0;
  let chapters = 1;
  /** How many requests there were when the chapter began. */
  let requestsBefore = 0;
  let deliveries = createDeliveryCount();

  return {
    /** @returns the refusal; null if the request was accepted, or if there are too many different refusals */
    request(call: AnsweredRequest): Refused | null {
      requests += 1;
      if (call.said.success === true && (call.status === 200 || call.status === null)) {
        accepted += 1;
        return null;
      }
      if (isByFault(call)) byFaults += 1;
      if (call.isTakenLeniently) lenientTakes += 1;
      const message = clean(messageOf(call), MOST_SHOWN);
      // The values that came are no causes of their own.
      const key = `${call.status} ${message.replaceAll(CAME, "…")}`;
      const known = refused.get(key);
      if (known) known.count += 1;
      else if (refused.size >= MOST_REFUSALS) leftOut += 1;
      else refused.set(key, { status: call.status, message, count: 1 });
      return refused.get(key) ?? null;
    },
    payments,
    delivery: (delivery: Pick<Delivery, "attempts">) => deliveries.add(delivery),
    /** A reset or a restore. A chapter without requests does not count. */
    beginChapter(): void {
      if (requests > requestsBefore) chapters += 1;
      requestsBefore = requests;
    },
    /** Whether all requests were refused by faults. */
    get isAllFaults() {
      return requests > 0 && byFaults === requests;
    },
    /** @param watched the payments that are watched now */
    now(watched: Iterable<Payment>): Tally {
      let { not_followed } = payments;
      for (const payment of watched) if (isNotFollowed(payment)) not_followed += 1;
      return {
        requests,
        accepted,
        refused: [...refused.values()].sort((a, b) => b.count - a.count).map((one) => ({ ...one })),
        refused_left_out: leftOut,
        lenient_takes: lenientTakes,
        payments: { ...payments, not_followed },
        deliveries: { ...deliveries.count },
        chapters,
      };
    },
    clear(): void {
      refused.clear();
      Object.assign(payments, { started: 0, paid: 0, not_followed: 0 });
      deliveries = createDeliveryCount();
      requests = accepted = leftOut = byFaults = lenientTakes = requestsBefore = 0;
      chapters = 1;
    },
  };
}

/** Counts deliveries, each once, and those of which no attempt was taken. */
function createDeliveryCount() {
  const count = { sent: 0, not_taken: 0 };
  return {
    count,
    /** An attempt. */
    add({ attempts }: Pick<Delivery, "attempts">): void {
      const isTaken = attempts.at(-1)?.problem === null;
      if (attempts.length === 1) count.sent += 1;
      if (attempts.length === 1 && !isTaken) count.not_taken += 1;
      if (attempts.length > 1 && isTaken) count.not_taken -= 1;
    },
  };
}

export const isNotFollowed = (payment: Payment): boolean =>
  payment.start !== null && payment.end !== null && knownMs(payment) === null;

export const refusedCount = ({ refused, refused_left_out }: Tally): number =>
  refused.reduce((sum, { count }) => sum + count, refused_left_out);

/** How many refusals are said in one line, and how many characters of each. */
const MOST_SAID = 3;
const MOST_SAID_OF_EACH = 100;

/** The most frequent refusals in words. */
export function refusalsIn(tally: Tally): string {
  const said = tally.refused.slice(0, MOST_SAID);
  const words = said.map(
    ({ status, message, count }) => `${count} × ${status ?? "no answer"} “${clean(message, MOST_SAID_OF_EACH)}”`,
  );
  const more = said.reduce((left, { count }) => left - count, refusedCount(tally));
  return words.join(", ") + (more > 0 ? `, and ${more} more` : "");
}
