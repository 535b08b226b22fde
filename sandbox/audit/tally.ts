import { inThousands } from "../../src/domain/counted.ts";
import type { Delivery } from "../../src/domain/delivery.ts";
import { refusalKey, sentenceOf } from "./facts/refusals.ts";
import type { ClientRequest } from "./facts/request.ts";
import type { Refusals, Tally } from "./shape.ts";
import { clean } from "./words.ts";

/** How many different refusals are kept. */
const MOST_REFUSALS = 100;

/** How many deliveries that wait for their next attempt are kept. */
const MOST_WAITING = 10_000;

/** Counts requests and payments, in bounded memory. */
export class TallyBook {
  readonly #refusals = new Map<string, Refusals>();
  readonly #deliveries = new DeliveryCounts();
  #requests = 0;
  #accepted = 0;
  #onRequest = 0;
  #leftOut = 0;
  #beforeOperations = 0;
  #notDelivered = 0;
  #lenientTakes = 0;
  started = 0;
  paid = 0;
  /** Of the payments whose lives have ended. */
  notLearned = 0;
  #chapters = 1;
  /** How many requests there were when the chapter began. */
  #requestsBefore = 0;

  request(request: ClientRequest): void {
    this.#requests += 1;
    if (!request.call.isDelivered) this.#notDelivered += 1;
    if (request.isAccepted) this.#accepted += 1;
    else this.#refuse(request);
  }

  #refuse({ call, isRefused }: ClientRequest): void {
    if (call.isInjected || call.status === 500) this.#onRequest += 1;
    if (call.isTakenLeniently) this.#lenientTakes += 1;
    if (isRefused && !call.isAdmitted) this.#beforeOperations += 1;
    const key = refusalKey(call);
    const same = this.#refusals.get(key);
    if (same) same.count += 1;
    else if (this.#refusals.size >= MOST_REFUSALS) this.#leftOut += 1;
    else this.#refusals.set(key, { status: call.status, message: sentenceOf(call), count: 1 });
  }

  deliver(delivery: Pick<Delivery, "id" | "attempts" | "dueAtMs">): void {
    this.#deliveries.attempted(delivery);
  }

  /** A reset or a restore. A chapter without requests does not count. */
  beginChapter(): void {
    if (this.#requests > this.#requestsBefore) this.#chapters += 1;
    this.#requestsBefore = this.#requests;
    this.#deliveries.beginChapter();
  }

  /** Whether all requests were refused by faults, or by the network (500). */
  get isAllOnRequest(): boolean {
    return this.#onRequest > 0 && this.#onRequest === this.#requests;
  }

  /** @param notLearned of the payments whose lives go on */
  show(notLearned: number, oneByOne: number): Tally {
    return {
      requests: this.#requests,
      accepted: this.#accepted,
      refused: [...this.#refusals.values()].sort((a, b) => b.count - a.count).map((one) => ({ ...one })),
      refused_left_out: this.#leftOut,
      refused_before_operations: this.#beforeOperations,
      answers_not_delivered: this.#notDelivered,
      lenient_takes: this.#lenientTakes,
      payments: {
        started: this.started,
        paid: this.paid,
        not_learned: this.notLearned + notLearned,
        one_by_one: Math.min(this.started, oneByOne),
      },
      deliveries: this.#deliveries.show(),
      chapters: this.#chapters,
    };
  }
}

class DeliveryCounts {
  /** The ids of those that count as not taken and wait for their next attempt. */
  readonly #waiting = new Set<number>();
  #sent = 0;
  #notTaken = 0;

  /** A delivery counts once, at the first attempt that came here, and as not taken until an attempt is taken. */
  attempted({ id, attempts, dueAtMs }: Pick<Delivery, "id" | "attempts" | "dueAtMs">): void {
    if (this.#waiting.delete(id)) this.#notTaken -= 1;
    else this.#sent += 1;
    if (attempts.at(-1)?.problem !== null) this.#notTaken += 1;
    if (dueAtMs !== null) this.#waiting.add(id);
    if (this.#waiting.size > MOST_WAITING)
      for (const oldest of this.#waiting.keys().take(1)) this.#waiting.delete(oldest);
  }

  /** A reset and a restore remove all deliveries, and their ids may come again. */
  beginChapter(): void {
    this.#waiting.clear();
  }

  show(): Tally["deliveries"] {
    return { sent: this.#sent, not_taken: this.#notTaken };
  }
}

export const refusedCount = ({ refused, refused_left_out }: Tally): number =>
  refused.reduce((sum, { count }) => sum + count, refused_left_out);

/** How many refusals are said in one line, and how many characters of each. */
const MOST_SAID = 3;
const MOST_SAID_OF_EACH = 130;

/** The most frequent refusals in words. */
export function refusalsIn(tally: Tally): string {
  const said = tally.refused.slice(0, MOST_SAID);
  const words = said.map(
    ({ status, message, count }) =>
      `${inThousands(count)} × ${status ?? "no answer"} “${clean(message, MOST_SAID_OF_EACH)}”`,
  );
  const more = said.reduce((rest, { count }) => rest - count, refusedCount(tally));
  return words.join(", ") + (more > 0 ? `, and ${inThousands(more)} more` : "");
}
