import { z } from "zod";
import type { ReadOnly } from "./values.ts";

/** Merchants, accounts and keys. */

const id = z.int().min(1);

export const merchant = z.strictObject({ id, name: z.string() });
export type MerchantOnWire = ReadOnly<typeof merchant>;

export const account = z.strictObject({ id, merchant_id: id, name: z.string(), fee: z.string() });
export type AccountOnWire = ReadOnly<typeof account>;
const keyFacts = { api_key: z.string(), merchant_id: id, label: z.string() };
export const key = z.strictObject({ ...keyFacts, revoked: z.boolean() });
export type KeyOnWire = ReadOnly<typeof key>;

/** A new key. Only this answer has its secret. */
export const keyMade = z.strictObject({ ...keyFacts, api_secret: z.string() });
export type KeyMade = ReadOnly<typeof keyMade>;
