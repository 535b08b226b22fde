import { z } from "zod";
import { MAX_PAGE_LIMIT } from "../domain/filter.ts";
import { KINDS, STATUSES } from "../domain/transaction.ts";
import type { ResponseForm } from "./view.ts";

/** The shapes of the answers, for the OpenAPI description; the tests hold real answers against it. */

const timestamp = z
  .string()
  .regex(/^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$/)
  .describe("in Nairobi, YYYY-MM-DD HH:MM:SS");
const id = z.int().min(1);
const amount = z.number().min(1).describe("in KES");
const fee = z.number().min(0).describe("in KES");
const phone = z.string().regex(/^254[0-9]{9}$/);
const code = z.string().nullable().describe("set when the payment is completed, and only then");
const count = z.int().min(0);

const identifiers = {
  checkout_request_id: z.string().regex(/^ws_CO_[0-9]+_[0-9A-Z]+$/),
  merchant_request_id: z.string().regex(/^ws_MR_[0-9]+_[0-9A-Z]+$/),
};
const outcome = {
  result_code: z.int().nullable().describe("the network's; null while pending"),
  result_desc: z.string().nullable(),
};
const envelope = { success: z.literal(true), message: z.string() };
const status = z.enum(STATUSES);
const completed_at = timestamp.nullable();

const shortItem = {
  id,
  type: z.enum(KINDS.map((kind) => kind.toUpperCase()) as [string, ...string[]]),
  status,
  amount,
  fee_amount: fee,
  fee_deducted: z.boolean(),
  phone,
  transaction_code: code,
  created_at: timestamp,
  completed_at,
};

const fullItem = {
  ...shortItem,
  ...identifiers,
  ...outcome,
  kind: z.enum(KINDS),
  momo_receipt_number: code,
  is_deposit: z.boolean(),
  credit_target: z.null(),
  payment_link_id: z.null(),
};

const aroundList = {
  pagination: z.strictObject({
    current_page: z.int().min(1),
    per_page: z.int().min(1).max(MAX_PAGE_LIMIT),
    total_items: count,
    total_pages: count,
  }),
  filters_applied: z.strictObject({
    type: z.enum(KINDS).optional(),
    status: status.optional(),
    date_from: z.iso.date().optional(),
    date_to: z.iso.date().optional(),
    search: z.string().optional(),
    id: id.optional(),
  }),
};

const summary = z.strictObject({
  total_completed_amount: z.number().min(0).describe("in KES"),
  completed_count: count,
  pending_count: count,
  failed_count: count,
});

/** §7. */
export const failureSchema = z.strictObject({ success: z.literal(false), message: z.string() });

/** What each operation answers with 200, by its path. */
export const ANSWERS: Record<ResponseForm, Record<string, z.ZodType>> = {
  full: {
    "/stkpush.php": z.strictObject({ ...envelope, transaction_id: id, ...identifiers }),
    "/status.php": z.strictObject({
      ...envelope,
      status,
      amount,
      fee_amount: fee,
      phone,
      transaction_code: code,
      momo_receipt_number: code,
      ...identifiers,
      ...outcome,
      created_at: timestamp,
      completed_at,
    }),
    "/transactions.php": z.strictObject({
      ...envelope,
      transactions: z.array(z.strictObject(fullItem)),
      summary,
      ...aroundList,
    }),
  },
  short: {
    "/stkpush.php": z.strictObject({ ...envelope, ...identifiers }),
    "/status.php": z.strictObject({
      ...envelope,
      status,
      amount,
      phone,
      transaction_code: code,
      created_at: timestamp,
    }),
    "/transactions.php": z.strictObject({ ...envelope, data: z.array(z.strictObject(shortItem)), ...aroundList }),
  },
};
