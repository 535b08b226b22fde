import type { Clock } from "../../src/domain/clock.ts";

/** Writes lines together: at thousands of requests a second, a write for each would cost as much as its request. */
export interface LineWriter {
  write(line: string): void;
  /** Writes what is waiting at once; resolves when all of it has been taken. */
  end(): Promise<void>;
}

/** So long a line waits for others. A person does not notice. */
const GATHER_MS = 10;

/** Of a reader that does not read so many lines are kept; the rest is counted. */
export const MAX_WAITING_LINES = 10_000;

/** Where text goes; `done` is called when it has been taken, or cannot be. */
export type Sink = (text: string, done: () => void) => void;

/** @param tellLoss the line that stands for so many lost ones */
export function createLineWriter(clock: Clock, sink: Sink, tellLoss: (lost: number) => string): LineWriter {
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
    write(line) {
      if (waiting.length >= MAX_WAITING_LINES) lost += 1;
      else if (waiting.push(line) === 1 && !isBusy) gather();
    },
    end: () =>
      new Promise((resolve) => {
        ended = resolve;
        flush();
        if (!isBusy) resolve();
      }),
  };
}
