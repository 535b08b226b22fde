/** What the lenient form took of a call though the strict form refuses it. */
export interface Leniency {
  /** A member of the body, a parameter of the query, `body` or `Content-Type`. */
  readonly member: string;
  /** What came there, as a refusal would show it. */
  readonly came: string;
}

/** What is noted of one call while it is read, for whoever keeps a log of calls. */
export interface Exchange {
  /** What has been read of the body, as far as it is text; null where nothing was. */
  body: string | null;
  readonly leniencies: Leniency[];
}

export function newExchange(): Exchange {
  return { body: null, leniencies: [] };
}
