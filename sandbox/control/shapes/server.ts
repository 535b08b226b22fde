import { z } from "zod";
import { RESPONSE_FORMS } from "../../../src/http/answers.ts";
import { replica, type Seen } from "./values.ts";

/** `/health`, `/ready` and `/server`. */

/** Not told to a caller without the token that the server asks for. */
const facts = { version: z.string().optional(), pid: z.int().min(1).optional() };
export const healthAnswer = { status: z.literal("ok"), ...facts };
export const stoppingAnswer = z.strictObject({
  success: z.literal(false),
  message: z.string(),
  status: z.literal("draining"),
  ...facts,
});

export const readyAnswer = { status: z.literal("ready") };
export const notReadyAnswer = z.strictObject({
  success: z.literal(false),
  message: z.string().describe("why it takes no payments"),
  status: z.enum(["not_ready", "draining"]),
});

/** What a line to paste needs. Nothing in it is secret. */
export const serverAnswer = {
  base_url: z.url(),
  control_url: z.url(),
  version: z.string(),
  name: z.string().nullable().describe("what people call this sandbox; null where nobody named it"),
  default_merchant_id: z.int().min(1),
  payment_account_id: z.int().min(1).nullable().describe("null where there is none yet"),
  api_key: z.string().nullable(),
  accept: z.enum(["strict", "lenient"]),
  response_form: z.enum(RESPONSE_FORMS),
  prompt_timeout_ms: z.int().min(1),
  replica,
  data: z.string().nullable().describe("the data directory; null where there is none"),
};
export type ServerOnWire = Seen<z.ZodObject<typeof serverAnswer>>;
