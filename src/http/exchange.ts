/** What is noted of one call while it is read, for whoever keeps a log of calls. */
export interface Exchange {
  /** What has been read of the body, as far as it is text; null where nothing was. */
  body: string | null;
}

export function newExchange(): Exchange {
  return { body: null };
}
