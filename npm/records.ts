/** What the control API takes and gives: in the published types, each is written out (scripts/release/declarations.ts). */

export type { AuditOnWire as AuditReport, FindingOnWire as Finding } from "../sandbox/control/shapes/audit.ts";
export type { FaultInput } from "../sandbox/control/shapes/faults.ts";
export type { IssueOnWire as Issue } from "../sandbox/control/shapes/refusal.ts";
export type { LoggedCall as RequestRecord } from "../sandbox/control/shapes/requests.ts";
export type { RuleInput } from "../sandbox/control/shapes/steering.ts";
export type { DeliveryOnWire as DeliveryRecord, WebhookInput } from "../sandbox/control/shapes/webhook.ts";
export type { ChosenName as OutcomeName } from "../sandbox/network/choice.ts";
export type { Status } from "../src/domain/transaction.ts";
export type { TransactionOnWire as TransactionRecord } from "../src/http/answers.ts";
