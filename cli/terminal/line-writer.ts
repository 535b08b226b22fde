import type { Clock } from "../../src/domain/clock.ts";

/** How long a line waits for others. A person does not notice. */
const GATHER_MS = 10;

/** How many lines are kept while the reader is too slow. Further lines are only counted. */
export const MAX_WAITING_LINES = 10_000;

/** Writes text. It calls `done` when the text is written, or cannot be written. */
export type Sink = (text: string, done: () => void) => void;

/**
 * Writes several lines at once. At thousands of requests a second, one write per line would cost as much as the request.
 * @param tellLoss makes the line that says how many lines are lost
 */
export function createLineWriter(clock: Clock, sink: Sink, tellLoss: (lost: number) => string) {
  let waiting: string[] = [];
  let lost = 0;
  let isBusy = false;
  let ended: (() => void) | null = null;

  function flush(): void {
    if (isBusy || waiting.length === 0) return;
    if (lost > 0) waiting.push(tellLoss(lost));
    const text = `${waiting.join("\n")}\n`;
    waiting = [];
    lost = 0;
    isBusy = true;
    sink(text, () => {
      isBusy = false;
      if (waiting.length === 0) ended?.();
      else if (ended) flush();
      else gather();
    });
  }

  const gather = () => void clock.alarm(clock.nowMs() + GATHER_MS, flush);

  return {
    write(line: string): void {
      if (waiting.length >= MAX_WAITING_LINES) lost += 1;
      else if (waiting.push(line) === 1 && !isBusy) gather();
    },
    /** Writes the waiting lines at once. Resolves when the sink has written them. */
    end: () =>
      new Promise<void>((resolve) => {
        ended = resolve;
        flush();
        if (!isBusy) resolve();
      }),
  };
}
