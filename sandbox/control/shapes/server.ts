import { z } from "zod";
import { type ReadOnly, replica } from "./values.ts";

/** What commands and snippets need. Nothing in it is secret. */
export const serverAnswer = {
  base_url: z.url(),
  control_url: z.url(),
  version: z.string(),
  name: z.string().nullable().describe("the name of this sandbox; null if it has none"),
  default_merchant_id: z.int().min(1),
  payment_account_id: z.int().min(1).nullable().describe("null if there is none yet"),
  api_key: z.string().nullable(),
  accept: z.enum(["strict", "lenient"]),
  response_form: z.enum(["full", "short"]),
  profile: z.string().nullable().describe("the service that the merchant API imitates; null if it imitates none"),
  prompt_timeout_ms: z.int().min(1),
  seed: z.string().nullable().describe("that identifiers and faults come from; null if they are random"),
  replica,
  data: z.string().nullable().describe("the data directory; null if there is none"),
};
export type ServerOnWire = ReadOnly<z.ZodObject<typeof serverAnswer>>;
