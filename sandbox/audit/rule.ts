import type { Facts } from "./facts/facts.ts";
import type { Listing } from "./facts/lists.ts";
import type { Payment, Push } from "./facts/payment.ts";
import type { ClientRequest, Operation } from "./facts/request.ts";
import type { Severity } from "./severity.ts";
import type { Tally } from "./shape.ts";

/** What every kind of finding has. */
export interface Kind<Name extends string = string> {
  readonly kind: Name;
  /** The usual severity; a finding has its own. */
  readonly severity: Severity;
  /** Of the specification. */
  readonly section: string;
  /** In a few words. */
  readonly label: string;
  /** What would be right. */
  readonly advice: string;
}

/** What a rule finds: findings of one group are equal, and counted. */
export interface Verdict {
  /** By default that of the kind. */
  readonly severity?: Severity;
  readonly group: string;
}

/** What a finding says of the first mistake, and shows of the first three. */
export interface Explanation {
  readonly message: string;
  /** By default that of the kind. */
  readonly advice?: string;
  /** The requests, the oldest first. */
  readonly requestIds: readonly number[];
  readonly payment: Pick<Payment, "checkoutRequestId" | "reference"> | null;
  /** All that it is about, by default its payment. */
  readonly payments?: readonly (Pick<Payment, "checkoutRequestId"> | null)[];
  /** When, by the sandbox's clock. */
  readonly atMs: number;
}

/** Judges a request when it is answered, and recorded in the facts. */
export interface RequestRule<Name extends string = string, V extends Verdict = Verdict> extends Kind<Name> {
  readonly judges: "requests";
  /** The requests that it is about. */
  readonly of: readonly Operation[];
  judge(request: ClientRequest, facts: Facts): V | readonly V[] | null;
  explain(request: ClientRequest, verdict: V, facts: Facts): Explanation;
}

/** Judges a push. Later events can change it, until the life of its payment ends. */
export interface PushRule<Name extends string = string, V extends Verdict = Verdict> extends Kind<Name> {
  readonly judges: "pushes";
  judge(push: Push): V | null;
  explain(push: Push, verdict: V): Explanation;
}

/** When payments are judged. */
export interface Occasion {
  readonly nowMs: number;
  /** Their lives end: what the client has not learned by now, it never learns. */
  readonly isOver: boolean;
  readonly hasWebhook: boolean;
}

/** Judges a payment at the end of its life, or on a server that goes on. */
export interface PaymentRule<Name extends string = string, V extends Verdict = Verdict> extends Kind<Name> {
  readonly judges: "payments";
  judge(payment: Payment, occasion: Occasion): V | null;
  explain(payment: Payment, verdict: V, occasion: Occasion, facts: Facts): Explanation;
}

/** What a run was, when it is over. */
export interface Run {
  readonly tally: Tally;
  /** Whether faults or the network refused all requests. */
  readonly isAllOnRequest: boolean;
  /** Whether all of the run came here. A test that calls `sandbox.audit()` may have sent nothing on purpose. */
  readonly isWhole: boolean;
  /** The hosts whose requests should have come here. */
  readonly silentHosts: readonly string[];
  readonly endedMs: number;
}

/** Judges a run. */
export interface RunRule<Name extends string = string> extends Kind<Name> {
  readonly judges: "runs";
  judge(run: Run): Verdict | null;
  explain(run: Run): Explanation;
}

/** Judges what was read of a list with several pages, when nothing more is read. */
export interface ListRule<Name extends string = string> extends Kind<Name> {
  readonly judges: "lists";
  judge(listing: Listing): Verdict | null;
  explain(listing: Listing): Explanation;
}

/** Found elsewhere: the engine adds it by itself. */
export interface EventRule<Name extends string = string> extends Kind<Name> {
  readonly judges: "events";
}

/** Keeps the name of a rule as a type. */
export const requestRule = <const Name extends string, V extends Verdict>(rule: RequestRule<Name, V>) => rule;
export const pushRule = <const Name extends string, V extends Verdict>(rule: PushRule<Name, V>) => rule;
export const paymentRule = <const Name extends string, V extends Verdict>(rule: PaymentRule<Name, V>) => rule;
export const listRule = <const Name extends string>(rule: ListRule<Name>) => rule;
export const runRule = <const Name extends string>(rule: RunRule<Name>) => rule;
