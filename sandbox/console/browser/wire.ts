import type { Example, Finding, Tally } from "../../audit/shape.ts";
import type { MessageOnWire, OwnedTransaction } from "../../control/shapes/payments.ts";
import type { IssueOnWire } from "../../control/shapes/refusal.ts";
import type { LoggedCall, SteeringPart } from "../../control/shapes/requests.ts";
import type { AttemptOnWire, DeliveryOnWire, WebhookSettings } from "../../control/shapes/webhook.ts";

/** The types of the control API, with the names that the page uses. */

export type { Status } from "../../../src/domain/transaction.ts";
export type { FaultInForce as Fault } from "../../control/shapes/faults.ts";
export type {
  CountsOnWire as Counts,
  ListOnWire as TransactionList,
  MessageOnWire as Message,
  PromptOnWire as Prompt,
  StoryOnWire as Story,
} from "../../control/shapes/payments.ts";
export type {
  AccountOnWire as Account,
  KeyMade as NewKey,
  KeyOnWire as Key,
  MerchantOnWire as Merchant,
} from "../../control/shapes/registry.ts";
export type { ServerOnWire as ServerFacts } from "../../control/shapes/server.ts";
export type {
  ClockReading,
  DefaultInForce as Default,
  OutcomeOnWire as Outcome,
  RuleInForce as Rule,
  SnapshotOnWire as Snapshot,
} from "../../control/shapes/steering.ts";
export type Transaction = OwnedTransaction;
export type LoggedRequest = LoggedCall;
export type { Example, Finding };
export type Attempt = AttemptOnWire;
export type Delivery = DeliveryOnWire;
export type Webhook = WebhookSettings;

/** The deliveries come with the oldest first. */
export interface WebhookAnswer {
  readonly webhook: Webhook | null;
  readonly deliveries: readonly Delivery[];
}
export type { RequestPage, SteeringPart } from "../../control/shapes/requests.ts";

export type Issue = IssueOnWire;

/** What the page needs of the audit's report. */
export interface Audit extends Pick<Tally, "requests" | "accepted" | "deliveries" | "chapters"> {
  readonly payments: Pick<Tally["payments"], "started" | "paid" | "not_learned">;
  readonly findings: readonly Finding[];
}

/** A call of the control API: its path is below `/_momo`. */
export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** Why the API does not do what it was asked. */
export interface Refusal {
  readonly message: string;
  /** What is wrong where; empty if the message names no place. */
  readonly issues: readonly Issue[];
}

export type ConsoleEvent =
  | { readonly name: "transaction"; readonly data: Transaction }
  | { readonly name: "request"; readonly data: LoggedRequest }
  | { readonly name: "message"; readonly data: MessageOnWire }
  | { readonly name: "audit"; readonly data: Finding }
  | { readonly name: "webhook"; readonly data: Delivery }
  | { readonly name: "steering"; readonly data: { readonly what: SteeringPart } }
  | { readonly name: "gap"; readonly data: object };

export type EventData<Name> = Extract<ConsoleEvent, { readonly name: Name }>["data"];
