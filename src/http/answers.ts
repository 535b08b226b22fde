import { z } from "zod";
import { MAX_PAGE_LIMIT } from "../domain/list.ts";
import { KINDS, type Kind, STATUSES } from "../domain/transaction.ts";
import { appliedFilters } from "./input.ts";
import type { Profile } from "./profile.ts";

/**
 * The schemas of the answers and of a transaction in JSON, defined only here. The types of the views and of all clients derive
 * from them, the OpenAPI description shows them, and tests check real answers with them.
 */

export const timestamp = z
  .string()
  .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$/)
  .describe("in Nairobi, YYYY-MM-DD HH:MM:SS");
const id = z.int().min(1);
export const amount = z.number().min(1).describe("in KES");
const fee = z.number().min(0).describe("in KES");
export const phone = z.string().regex(/^254[0-9]{9}$/);
const code = z.string().nullable().describe("set when the payment is completed, and only then");
const count = z.int().min(0);

export const identifiers = {
  checkout_request_id: z.string().regex(/^ws_CO_[0-9]+_[0-9A-Z]+$/),
  merchant_request_id: z.string().regex(/^ws_MR_[0-9]+_[0-9A-Z]+$/),
};
const outcome = {
  result_code: z.int().nullable().describe("the code of the network; null while pending"),
  result_desc: z.string().nullable(),
};
const envelope = { success: z.literal(true), message: z.string() };
export const statusName = z.enum(STATUSES);
const completed_at = timestamp.nullable();

const shortItem = {
  id,
  type: z.enum(KINDS.map((kind) => kind.toUpperCase()) as Uppercase<Kind>[]),
  status: statusName,
  amount,
  fee_amount: fee,
  fee_deducted: z.boolean(),
  phone,
  transaction_code: code,
  created_at: timestamp,
  completed_at,
};

/** A transaction as the list shows it (§2.2). */
export const transaction = z.strictObject({
  ...shortItem,
  ...identifiers,
  ...outcome,
  kind: z.enum(KINDS),
  momo_receipt_number: code,
  is_deposit: z.boolean(),
  credit_target: z.null(),
  payment_link_id: z.null(),
});
export type TransactionOnWire = Readonly<z.infer<typeof transaction>>;

const shortTransaction = z.strictObject(shortItem);

const aroundList = {
  pagination: z.strictObject({
    current_page: z.int().min(1),
    per_page: z.int().min(1).max(MAX_PAGE_LIMIT),
    total_items: count,
    total_pages: count,
  }),
  filters_applied: appliedFilters,
};

export const summary = z.strictObject({
  total_completed_amount: z.number().min(0).describe("in KES"),
  completed_count: count,
  pending_count: count,
  failed_count: count,
});

const statusShort = z.strictObject({
  status: statusName,
  amount,
  phone,
  transaction_code: code,
  created_at: timestamp,
});
const statusFull = z.strictObject({
  ...statusShort.shape,
  fee_amount: fee,
  momo_receipt_number: code,
  ...identifiers,
  ...outcome,
  completed_at,
});

/** The members of the answers besides `success` and `message`. */
export const started = {
  full: z.strictObject({ transaction_id: id, ...identifiers }),
  short: z.strictObject(identifiers),
};
const status = { full: statusFull, short: statusShort };
export const fullList = z.strictObject({ transactions: z.array(transaction), summary, ...aroundList });

/** The answer of a failure (§7). */
export const failureSchema = z.strictObject({ success: z.literal(false), message: z.string() });

/** An answer with 200: the envelope of §1 and these members. */
export const succeeded = (members: z.ZodObject | z.ZodRawShape) =>
  z.strictObject({ ...envelope, ...(members instanceof z.ZodObject ? members.shape : members) });

/** The answer of each operation with 200, by its path, as a profile has it. */
export function answersOf({ response_form: form = "full", array_name, phone: start = "254" }: Profile) {
  const [array, item, around] =
    form === "full"
      ? (["transactions", transaction, { summary, ...aroundList }] as const)
      : (["data", shortTransaction, aroundList] as const);
  const members = { phone: z.string().regex(new RegExp(`^${start.replace("+", "\\+")}[0-9]{9}$`)) };
  return {
    "/stkpush.php": succeeded(started[form]),
    "/status.php": succeeded(status[form].extend(members)),
    "/transactions.php": succeeded({ [array_name ?? array]: z.array(item.extend(members)), ...around }),
  };
}
