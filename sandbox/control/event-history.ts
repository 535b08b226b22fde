/** An event. Its JSON is made when it is first read. */
interface Entry {
  readonly name: string;
  readonly view: () => object;
  /** Its approximate size in memory. */
  bytes: number;
  text: string | null;
}

const CAPACITY = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** How much one reading returns. Other work has its turn before the next one. */
const MOST_AT_ONCE = 100;
const MOST_LENGTH_AT_ONCE = 32 * 1024;

/**
 * Past events, also for clients that reconnect: a ring buffer of the last 10,000, or as many as fit into 8 MB.
 * @param boot a prefix of each id, which distinguishes the ids of this process from those of another
 */
export function createEventHistory(boot: string) {
  const ring: (Entry | undefined)[] = [];
  let first = 1;
  let last = 0;
  let bytes = 0;

  function dropOldest(): void {
    bytes -= ring[first % CAPACITY]?.bytes ?? 0;
    ring[first % CAPACITY] = undefined;
    first += 1;
  }

  function shrink(): void {
    while (bytes > MAX_BYTES) dropOldest();
  }

  /** The text is made once for all readers, and then counts as memory. */
  function textOf(number: number): string {
    const entry = ring[number % CAPACITY];
    if (!entry) return "";
    if (entry.text === null) {
      const { name, view } = entry;
      entry.text = `event: ${name}\nid: ${boot}-${number}\ndata: ${JSON.stringify(view())}\n\n`;
      entry.bytes += entry.text.length;
      bytes += entry.text.length;
    }
    return entry.text;
  }

  return {
    /** The number of the last event. The first has the number 1. */
    get last() {
      return last;
    },
    /** Keeps a reference, not the text, so that unread events cost almost nothing. */
    add(name: string, view: () => object, size: number): void {
      if (last - first + 1 === CAPACITY) dropOldest();
      last += 1;
      ring[last % CAPACITY] = { name, view, bytes: size, text: null };
      bytes += size;
      shrink();
    },
    /**
     * The events after that number as server-sent events, the oldest first, up to the bound of one reading.
     * @returns null if some of them are no longer kept
     */
    after(number: number): { readonly text: string; readonly number: number } | null {
      if (number < first - 1 || number > last) return null;
      const end = Math.min(number + MOST_AT_ONCE, last);
      let text = "";
      let read = number;
      while (read < end && text.length < MOST_LENGTH_AT_ONCE) {
        read += 1;
        text += textOf(read);
      }
      shrink();
      return { text, number: read };
    },
  };
}
