/** What only the lenient form accepts: the strict form refuses it. */
export interface Leniency {
  /** A member of the body, a parameter of the query, `body` or `Content-Type`. */
  readonly member: string;
  /** What came there, as a refusal would show it. */
  readonly came: string;
}

/** What is known of one call after it was read, for the log. */
export interface Exchange {
  /** The body as text, as far as it was read. Null if nothing was read. */
  body: string | null;
  readonly leniencies: Leniency[];
}

export function newExchange(): Exchange {
  return { body: null, leniencies: [] };
}
