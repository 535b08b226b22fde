/** A call of the merchant API, as it came and as it was answered. */
export interface LoggedRequest {
  /** Counts from 1 since the server started. */
  readonly id: number;
  readonly atMs: number;
  readonly durationMs: number;
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly headers: Headers;
  /** What of the body was read, as far as it is text, or null. */
  readonly body: string | null;
  /** Null where the connection was closed without an answer. */
  readonly status: number | null;
  /** What was answered, also where it reached nobody. */
  readonly answer: string | null;
  /** The fault that befell it, or null. */
  readonly fault: string | null;
}

export type LogListener = (request: LoggedRequest) => void;

/** How many calls are remembered, */
export const LOG_CAPACITY = 1000;

/** and how much of memory they may take together, however large their bodies and answers are. */
export const LOG_CAPACITY_BYTES = 32 * 1024 * 1024;

/**
 * The last {@link LOG_CAPACITY} calls, or fewer where they are large. Writing one costs a place in a ring; what it looks like is
 * made up when it is read.
 */
export interface RequestLog {
  add(request: Omit<LoggedRequest, "id">): void;
  /** Oldest first. */
  list(): LoggedRequest[];
  clear(): void;
  subscribe(listener: LogListener): () => void;
}

export function createRequestLog(): RequestLog {
  const ring: (LoggedRequest | undefined)[] = [];
  const listeners = new Set<LogListener>();
  let lastId = 0;
  let oldestId = 1;
  let bytes = 0;

  function forgetOldest(): void {
    const place = (oldestId - 1) % LOG_CAPACITY;
    const oldest = ring[place];
    if (oldest) bytes -= bytesOf(oldest);
    ring[place] = undefined;
    oldestId += 1;
  }

  return {
    add(request) {
      lastId += 1;
      if (lastId - oldestId === LOG_CAPACITY) forgetOldest();
      const logged = { ...request, id: lastId };
      ring[(lastId - 1) % LOG_CAPACITY] = logged;
      bytes += bytesOf(logged);
      while (bytes > LOG_CAPACITY_BYTES) forgetOldest();
      for (const listener of listeners) listener(logged);
    },
    list: () => ring.filter((logged) => logged !== undefined).sort((a, b) => a.id - b.id),
    clear() {
      ring.length = 0;
      oldestId = lastId + 1;
      bytes = 0;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** What a logged call holds beside its texts, roughly: to measure its head would cost more than all that is done with it. */
const REQUEST_BYTES = 1500;

/** What a logged call holds in memory, roughly. */
export function bytesOf({ target, body, answer }: LoggedRequest): number {
  return REQUEST_BYTES + target.length + (body?.length ?? 0) + (answer?.length ?? 0);
}
