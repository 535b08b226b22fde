/** What a history draws from its seed. */

export interface Fault {
  readonly kind: string;
  readonly [member: string]: unknown;
}

/** What a customer buys. Each has an amount of its own, by which the test knows its payment. */
export interface Wanted {
  readonly reference: string;
  readonly phone: string;
  readonly amount: number;
  readonly outcome: string;
  /** Whether a page asks after the start, or the program waits. */
  readonly style: "page" | "script";
}

const HTML = { body: "<html>Welcome</html>", content_type: "text/html" };
const FAULTS: readonly (Fault | null)[] = [
  { kind: "error", status: 503 },
  { kind: "error", status: 503, carried_out: true },
  { kind: "error", status: 500, carried_out: true, message: "the database is locked" },
  { kind: "error", status: 429, headers: { "Retry-After": "20" } },
  { kind: "error", status: 502, ...HTML },
  { kind: "error", status: 502, ...HTML, carried_out: true },
  { kind: "error", status: 200, carried_out: true, cut_after: 20 },
  { kind: "error", status: 200, ...HTML, carried_out: true },
  { kind: "disconnect" },
  { kind: "delay", delay: "2s" },
  { kind: "delay", delay: "15s" },
  { kind: "delay", delay: "150s" },
  { kind: "delay", delay: "290s" },
];
const OUTCOMES = [
  "completed",
  "completed_late",
  "wrong_pin",
  "cancelled",
  "expired",
  "silent",
  "unreachable",
  "refused",
];
const PHONES = ["0712345678", "254112345678", "0799000111"];
const REFERENCES = ["ORDER-1", "ORDER-10", "1001", "A+B & C%#"];
interface Webhook {
  readonly times: number;
  readonly early?: boolean;
  readonly delay?: string;
}

const WEBHOOKS: readonly (Webhook | null)[] = [
  null,
  null,
  { times: 0 },
  { times: 1 },
  { times: 2 },
  { times: 1, early: true },
  { times: 1, delay: "30s" },
];

/** A process that stands still while it pushes, for longer than others need to find that nothing has started. */
export interface Standstill {
  /** store: before it looks a last time; push: after that, and before its push is sent. */
  readonly before: "look" | "push";
  readonly ms: number;
  readonly isAnswerLost: boolean;
}

/** A proxy that sends some pushes twice, and then fails. */
export interface PushProxy {
  readonly repeats: () => boolean;
  /** What the second payment of an order comes to. */
  readonly outcome: () => string;
}

/** @returns null in most histories */
export function createProxy(chance: () => number): PushProxy | null {
  if (chance() > 0.25) return null;
  return {
    repeats: () => chance() < 0.5,
    outcome: () => OUTCOMES[Math.floor(chance() * OUTCOMES.length)] as string,
  };
}

export interface Draws {
  readonly below: (bound: number) => number;
  readonly pick: <T>(items: readonly T[]) => T;
  readonly fault: () => Fault | null;
  readonly webhook: () => Webhook | null;
  /** @param before where a process stands still for certain */
  readonly standstill: (before?: Standstill["before"]) => Standstill | null;
  readonly orders: () => readonly Wanted[];
}

export function createDraws(chance: () => number): Draws {
  const below = (bound: number) => Math.floor(chance() * bound);
  const pick = <T>(items: readonly T[]) => items[below(items.length)] as T;
  const faultRate = pick([0, 0.1, 0.3, 0.6]);
  return {
    below,
    pick,
    fault: () => (chance() < faultRate ? pick(FAULTS) : null),
    webhook: () => pick(WEBHOOKS),
    standstill: (before) =>
      before === undefined && below(6) > 0
        ? null
        : { before: before ?? pick(["look", "push"]), ms: pick([1_150_000, 1_250_000]), isAnswerLost: below(2) === 0 },
    orders: (): readonly Wanted[] =>
      REFERENCES.slice(0, 1 + below(REFERENCES.length)).map((reference, index) => ({
        reference,
        phone: pick(PHONES),
        amount: 100 + index,
        outcome: pick(OUTCOMES),
        style: pick(["page", "script"]),
      })),
  };
}
