/**
 * What a check has found, as data. Facts are compared as values; `words.ts` alone turns them into sentences.
 * A value that came from the service is its JSON text, or null where it is missing.
 */
export type Fact = Behaviour | Violation | Lack | Stop | Note;

/** A value as the service sent it: JSON text. Null: the member is missing. */
export type Received = string | null;

/** What a service does where the specification is silent. */
export type Behaviour =
  | { readonly kind: "refused"; readonly status: number }
  | { readonly kind: "accepted" }
  /** The parameter has no effect. */
  | { readonly kind: "ignored" }
  | { readonly kind: "empty_page" }
  | { readonly kind: "page"; readonly number: number | null }
  | { readonly kind: "limit"; readonly limit: number | null }
  | {
      readonly kind: "array";
      readonly name: "transactions" | "data";
      readonly form: "full" | "short";
      /** Whether the short form has members of the full one. */
      readonly isMixed: boolean;
      /** The path of an operation that answers in the other form. */
      readonly otherForm: string | null;
    }
  | { readonly kind: "order"; readonly order: "newest_first" | "oldest_first" | "neither" }
  | { readonly kind: "phone"; readonly start: "254" | "+254" | "0" | null }
  /** As `momo serve --fee` takes it; null where no share and fixed part give the fees. */
  | { readonly kind: "fee"; readonly formula: string | null }
  /** That of one amount, in cents: it does not tell a share from a fixed part. */
  | { readonly kind: "one_fee"; readonly amount: number; readonly fee: number }
  | {
      readonly kind: "results";
      /** Code and text, where the text is not the network's. */
      readonly others: readonly (readonly [code: string, text: string])[];
      /** Whether a code has more than one text. */
      readonly isMixed: boolean;
    }
  /** East of Greenwich; null where the timestamp cannot be read. */
  | { readonly kind: "zone"; readonly offsetMinutes: number | null }
  | { readonly kind: "final"; readonly changes: { readonly from: Received; readonly to: Received } | null };

/** Why a stated sentence does not hold. The sentence says what would be right. */
export type Violation =
  | { readonly kind: "answered"; readonly status: number; readonly expected?: number }
  | { readonly kind: "member"; readonly name: string; readonly received: Received; readonly transaction?: Received }
  /** A member that depends on the status of the payment. */
  | { readonly kind: "state"; readonly name: string; readonly received: Received; readonly status: Received }
  | { readonly kind: "differs"; readonly name: string; readonly status: Received; readonly list: Received }
  | { readonly kind: "list"; readonly status: number; readonly success: Received; readonly hasArray: boolean }
  | { readonly kind: "page_size"; readonly rows: number; readonly limit: Received; readonly total: Received }
  | { readonly kind: "page_count"; readonly pages: Received; readonly items: Received; readonly limit: Received }
  | { readonly kind: "same_row"; readonly first: Received; readonly second: Received }
  | { readonly kind: "other_row" }
  /** A list leaves out a transaction that fits. */
  | { readonly kind: "lost_row"; readonly transaction: Received }
  | { readonly kind: "finds_none" }
  | { readonly kind: "found"; readonly rows: number; readonly first: Received }
  | {
      readonly kind: "count";
      readonly name: string;
      readonly received: number;
      /** The filter `status` with this value selects so many. */
      readonly status: string;
      readonly selected: Received;
      /** The statuses whose payments are counted, where they explain the number. */
      readonly counts?: readonly string[];
    }
  | { readonly kind: "sum"; readonly name: string; readonly received: number; readonly sum: number }
  | { readonly kind: "no_object"; readonly status: number }
  | { readonly kind: "envelope"; readonly success: Received; readonly message: Received }
  | { readonly kind: "failure_members"; readonly names: readonly string[]; readonly success: Received }
  | { readonly kind: "base_address" };

/** Why a sentence was not checked. */
export type Lack =
  | { readonly kind: "ended" }
  | { readonly kind: "needs_payment" }
  | { readonly kind: "needs_push" }
  | { readonly kind: "no_transactions" }
  | { readonly kind: "no_such_transaction" }
  | { readonly kind: "one_transaction" }
  | { readonly kind: "one_page" }
  /** No payment of these statuses, or none that shows the member. */
  | { readonly kind: "none_such"; readonly statuses: readonly string[]; readonly member?: string }
  | { readonly kind: "not_shown"; readonly member: string }
  | { readonly kind: "short_form" }
  | { readonly kind: "no_list"; readonly status: number }
  | { readonly kind: "list_refused" }
  | { readonly kind: "payment_refused"; readonly status: number }
  | { readonly kind: "still_pending" }
  | { readonly kind: "too_late" }
  | { readonly kind: "may_change" }
  | { readonly kind: "not_selected" }
  | { readonly kind: "many_rows" }
  | { readonly kind: "refused_before"; readonly status: number }
  /** No answer of this kind has come. */
  | { readonly kind: "no_such_answer"; readonly answers: "any" | "200" | "errors" }
  | { readonly kind: "unusable_id" };

/** Why a check ended before its end. */
export type Stop =
  | { readonly kind: "credentials_refused" }
  | { readonly kind: "budget_spent"; readonly budget: number }
  | { readonly kind: "interrupted" }
  | { readonly kind: "no_answer"; readonly request: string; readonly reason: string }
  | { readonly kind: "too_large" }
  | { readonly kind: "too_slow" }
  | { readonly kind: "redirects"; readonly to: string | null }
  | { readonly kind: "another_api"; readonly status: number; readonly type: string | null }
  | { readonly kind: "rate_limited" }
  | { readonly kind: "server_errors"; readonly status: number }
  | { readonly kind: "bug"; readonly error: string };

/** What else is worth knowing. */
export type Note =
  | { readonly kind: "clock_apart"; readonly minutes: number; readonly isAhead: boolean }
  | { readonly kind: "empty_account" }
  | { readonly kind: "base_path" }
  | { readonly kind: "pushed_unanswered" }
  | { readonly kind: "pushed_without_id" }
  | { readonly kind: "pushed"; readonly checkoutRequestId: Received; readonly transaction: Received };

/** What suffers where a sentence does not hold: money or the client that reads an answer, or only the shape of answers. */
export type Breaks = "money" | "shape";
