import type { Delivery } from "../../src/domain/delivery.ts";
import type { TallyOnWire } from "../control/shapes/requests.ts";
import type { AnsweredRequest } from "../request-log.ts";
import { clean, isByFault, messageOf } from "./call.ts";
import type { Mistake } from "./finding.ts";
import { isStarted, type Payment } from "./payments.ts";

export type Tally = TallyOnWire;
export type Refusal = Tally["refused"][number];

/** How many different refusals are kept. */
const MOST_REFUSALS = 100;

/** How many deliveries that wait for their next attempt are kept. */
const MOST_WAITING = 10_000;

/** Longer than the messages of the sandbox, but for those with long values of the client. */
const MOST_SHOWN = 300;

/** What a refusal quotes, and the value that it shows at its end. */
const SENT_VALUES = /(?:"(?:[^"\\]|\\.)*"|(?<=; it is )[^;"]+)+/g;

type Counts = { -readonly [Name in Exclude<keyof Tally, "deliveries">]: Tally[Name] };

/** Counts requests and payments, in bounded memory. */
export function createTally() {
  const refusals = new Map<string, { -readonly [Name in keyof Refusal]: Refusal[Name] }>();
  const counts: Counts = {
    requests: 0,
    accepted: 0,
    refused: [],
    refused_left_out: 0,
    lenient_takes: 0,
    /** Those that are no longer watched. */
    payments: { started: 0, paid: 0, not_followed: 0 },
    chapters: 1,
  };
  const deliveries = countDeliveries();
  let onRequest = 0;
  /** How many requests there were when the chapter began. */
  let requestsBefore = 0;

  return {
    /** @returns the refusal; null if the request was accepted, or if there are too many different refusals */
    request(call: AnsweredRequest): Refusal | null {
      counts.requests += 1;
      if (call.said.success === true && (call.status === 200 || call.status === null)) {
        counts.accepted += 1;
        return null;
      }
      if (isByFault(call) || call.status === 500) onRequest += 1;
      if (call.isTakenLeniently) counts.lenient_takes += 1;
      const message = clean(messageOf(call), MOST_SHOWN);
      // The values that were sent are no causes of their own.
      const key = `${call.status} ${message.replaceAll(SENT_VALUES, "…")}`;
      const same = refusals.get(key);
      if (same) same.count += 1;
      else if (refusals.size >= MOST_REFUSALS) counts.refused_left_out += 1;
      else refusals.set(key, { status: call.status, message, count: 1 });
      return refusals.get(key) ?? null;
    },
    /** Payments are no longer watched. */
    drop(payments: readonly Payment[], missing: readonly Mistake[]): void {
      counts.payments = countPayments(counts.payments, payments, missing);
    },
    /** A payment that is no longer watched is completed. */
    paidLate(): void {
      counts.payments = { ...counts.payments, paid: counts.payments.paid + 1 };
    },
    delivery: deliveries.attempted,
    /** A reset or a restore. A chapter without requests does not count. */
    beginChapter(): void {
      if (counts.requests > requestsBefore) counts.chapters += 1;
      requestsBefore = counts.requests;
      deliveries.beginChapter();
    },
    /** Whether a webhook was taken. */
    takesWebhooks: deliveries.isAnyTaken,
    /** Whether all requests were refused by faults, or by the network (500). */
    isAllOnRequest: () => onRequest > 0 && onRequest === counts.requests,
    /**
     * @param watched the payments that are watched now
     * @param missing what is wrong with them because polls are missing
     */
    now(watched: readonly Payment[], missing: readonly Mistake[]): Tally {
      const refused = [...refusals.values()].sort((a, b) => b.count - a.count).map((one) => ({ ...one }));
      const { chapters, ...before } = counts;
      const payments = countPayments(counts.payments, watched, missing);
      return { ...before, refused, payments, deliveries: deliveries.now(), chapters };
    },
  };
}

function countDeliveries() {
  /** The ids of those that count as not taken and wait for their next attempt. */
  const waiting = new Set<number>();
  let [sent, notTaken] = [0, 0];
  return {
    /** A delivery counts once, at the first attempt that came here, and as not taken until an attempt is taken. */
    attempted({ id, attempts, dueAtMs }: Pick<Delivery, "id" | "attempts" | "dueAtMs">): void {
      if (waiting.delete(id)) notTaken -= 1;
      else sent += 1;
      if (attempts.at(-1)?.problem !== null) notTaken += 1;
      if (dueAtMs !== null) waiting.add(id);
      if (waiting.size > MOST_WAITING) for (const oldest of waiting.keys().take(1)) waiting.delete(oldest);
    },
    /** A reset and a restore remove all deliveries, and their ids may come again. */
    beginChapter: () => waiting.clear(),
    isAnyTaken: () => sent > notTaken,
    now: (): Tally["deliveries"] => ({ sent, not_taken: notTaken }),
  };
}

/** A payment is not followed if there is more than a note on its missing polls. */
function countPayments(
  { started, paid, not_followed }: Tally["payments"],
  payments: readonly Payment[],
  missing: readonly Mistake[],
): Tally["payments"] {
  const more = payments.filter(isStarted);
  return {
    started: started + more.length,
    paid: paid + more.filter(({ end }) => end?.status === "completed").length,
    not_followed: not_followed + missing.filter(({ severity }) => severity !== "note").length,
  };
}

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
  const more = said.reduce((rest, { count }) => rest - count, refusedCount(tally));
  return words.join(", ") + (more > 0 ? `, and ${more} more` : "");
}
