/** What the control API takes and gives: in the published types, each is written out (scripts/release/declarations.ts). */

export type { FaultInput } from "../sandbox/control/faults.ts";
export type { RuleInput } from "../sandbox/control/rules.ts";
export type {
  AuditOnWire as AuditReport,
  FindingOnWire as Finding,
  LoggedCall as RequestRecord,
} from "../sandbox/control/shapes/requests.ts";
export type { DeliveryOnWire as DeliveryRecord } from "../sandbox/control/shapes/webhook.ts";
export type { WebhookInput } from "../sandbox/control/webhook.ts";
export type { OutcomeName } from "../sandbox/network/outcomes.ts";
export type { Status } from "../src/domain/transaction.ts";
export type { TransactionOnWire as TransactionRecord } from "../src/http/answers.ts";
