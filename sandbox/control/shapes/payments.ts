import { z } from "zod";
import { amount, fullList, identifiers, phone, summary, timestamp, transaction } from "../../../src/http/answers.ts";
import { loggedRequest } from "./requests.ts";
import { chosenName, count, instant, type ReadOnly } from "./values.ts";
import { delivery } from "./webhook.ts";

/** Payments: what the list, the story and the phones show of them. */

/** A transaction with its merchant: the control API shows those of all merchants. */
export const ownedTransaction = z.strictObject({
  merchant_id: z.int().min(1),
  reference: z.string().nullable(),
  ...transaction.shape,
});
export type OwnedTransaction = ReadOnly<typeof ownedTransaction>;

/** The counts over all filters except the status. */
const counts = z.strictObject({
  ...summary.shape,
  cancelled_count: count,
  expired_count: count,
});
export type CountsOnWire = ReadOnly<typeof counts>;

/** The list of a merchant's transactions (§4.3), with each reference, the time and the counts of every status. */
export const ownedList = z.strictObject({
  ...fullList.shape,
  transactions: z.array(ownedTransaction),
  now_ms: instant.describe("the time of the sandbox"),
  every_status: counts,
});
export type ListOnWire = ReadOnly<typeof ownedList>;

/** An open prompt, as the customer sees it. */
export const prompt = z.strictObject({
  checkout_request_id: identifiers.checkout_request_id,
  phone,
  business: z.string(),
  amount,
  reference: z.string().nullable(),
  description: z.string().nullable(),
  created_at: timestamp,
  expires_at: timestamp,
  expires_at_ms: instant,
});
export type PromptOnWire = ReadOnly<typeof prompt>;

export const sms = z
  .string()
  .nullable()
  .describe("what the customer's phone shows; null unless the payment is completed");

/** A text message on a customer's phone. */
export const message = z.strictObject({
  phone,
  text: z.string(),
  at: timestamp,
  at_ms: instant,
  checkout_request_id: identifiers.checkout_request_id,
});
export type MessageOnWire = ReadOnly<typeof message>;

/** Who decided the outcome of a payment. */
const decision = z.strictObject({
  who: z.enum(["header", "rule", "network_limit", "test_phone", "default", "person", "deadline"]),
  rule: z.int().min(1).optional().describe("its id"),
  outcome: chosenName,
  result_code: z.int().optional().describe("where it is not the outcome's own"),
  result_desc: z.string().optional(),
  at_ms: instant.nullable(),
  in_words: z.string(),
});

const storyRequest = z.strictObject({
  ...loggedRequest.shape,
  interval_ms: z.number().nullable().describe("since the request before it"),
});

/** A payment from its beginning to its end. */
export const story = z.strictObject({
  transaction: ownedTransaction,
  payment_account_id: z.int().min(1),
  started_by: z.enum(["console", "control_api"]).nullable().describe("null if a client of the merchant API started it"),
  prompt,
  decided_by: decision,
  requests_left_out: count,
  result: z
    .strictObject({ code: z.int(), description: z.string(), meaning: z.string(), advice: z.string() })
    .nullable()
    .describe("null while pending"),
  sms,
  webhooks: z.array(delivery).describe("empty if no webhook was set"),
  requests: z.array(storyRequest).describe("the start and the last polls"),
});
export type StoryOnWire = ReadOnly<typeof story>;
export type StoryRequest = ReadOnly<typeof storyRequest>;
