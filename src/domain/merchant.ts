import { invalidAt } from "./error.ts";
import { isLine } from "./line.ts";
import type { Tariff } from "./money.ts";

/** A business that collects payments. */
export interface Merchant {
  readonly id: number;
  readonly name: string;
}

/** An account that receives a merchant's payments (§2.1), with its tariff. */
export interface PaymentAccount {
  readonly id: number;
  readonly merchantId: number;
  readonly name: string;
  readonly tariff: Tariff;
}

/** The greatest id that an account can be given: that of an INT of SQL. The next accounts have greater ones. */
export const MAX_GIVEN_ACCOUNT_ID = 2_147_483_647;

/** How many there can be. Lists of merchants are read as a whole. */
export const MAX_MERCHANTS = 10_000;
/** Of one merchant. */
export const MAX_ACCOUNTS = 1000;
/** Of one merchant, in force. */
export const MAX_KEYS = 1000;
/** Of one merchant. Older revoked keys are removed, because an unknown key is refused, too. */
export const MAX_REVOKED_KEYS = 1000;

const MAX_NAME_LENGTH = 100;

/**
 * A name or label that people read: 1 to 100 characters, none of them a control character.
 * @param what named in the refusal
 * @throws Refusal `invalid`
 */
export function parseName(text: string, what = "name"): string {
  const name = text.trim();
  if (isLine(name, MAX_NAME_LENGTH)) return name;
  throw invalidAt(what, `must be 1 to ${MAX_NAME_LENGTH} characters on one line`);
}
