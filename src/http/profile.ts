import type { ResponseForm } from "./answers.ts";

/** What a client may send: only what the specification says, or also what the real services accept. */
export type Accept = "strict" | "lenient";

/** The answer to a request that is refused. */
export interface RefusalAnswer {
  readonly status: number;
  readonly message: string;
}

/** How phones in answers begin. */
export const PHONE_STARTS = ["254", "0", "+254"] as const;

/**
 * What a service does where the specification is silent. A member that is absent says nothing, and momo does as it does by itself.
 * The names are those of the file.
 */
export interface Profile {
  readonly name?: string | undefined;
  /** What is known, and how. */
  readonly source?: string | undefined;
  /** Where the operations are, such as `/api/v2`. */
  readonly base_path?: string | undefined;
  readonly accept?: Accept | undefined;
  readonly response_form?: ResponseForm | undefined;
  /** The list's array (§4.3); by default that of the response form. */
  readonly array_name?: "transactions" | "data" | undefined;
  /** To the status of an id that was never issued (§4.2). */
  readonly unknown_id?: RefusalAnswer | undefined;
  /** To a payment for an account that is not the merchant's (§4.1). */
  readonly invalid_account?: RefusalAnswer | undefined;
  /** To a list with a filter that has an unknown value (§4.3). */
  readonly bad_filter?: "ignored" | RefusalAnswer | undefined;
  /** What a `page` or a `limit` out of its range is (§4.3). */
  readonly page_bounds?: "refused" | "clamped" | undefined;
  /** In which letter case the filters `type` and `status` are accepted. */
  readonly filter_case?: "any" | "lower" | undefined;
  readonly phone?: (typeof PHONE_STARTS)[number] | undefined;
  /** The zone of timestamps (§2.2). */
  readonly timestamps?: "nairobi" | "utc" | undefined;
  /** The tariff of the account, such as `1%`. */
  readonly fee?: string | undefined;
  /** How long a prompt waits, such as `60s`. */
  readonly prompt_timeout?: string | undefined;
  /** The text of each result code that has another one than the network's. */
  readonly results?: Readonly<Record<string, string>> | undefined;
}
