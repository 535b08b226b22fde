/** A value that only the lenient form accepts: the strict form refuses it. */
export interface Leniency {
  /** A member of the body, a parameter of the query, `body` or `Content-Type`. */
  readonly member: string;
  /** The received value, as a refusal would show it. */
  readonly came: string;
}

/** What the log needs from reading one request. */
export interface Exchange {
  /** The body as text, as far as it was read. Null if nothing was read. */
  body: string | null;
  /** The members of a body that is a JSON object, so that the audit need not parse it again. Null if it was not parsed. */
  members: object | null;
  readonly leniencies: Leniency[];
}

export function newExchange(): Exchange {
  return { body: null, members: null, leniencies: [] };
}
