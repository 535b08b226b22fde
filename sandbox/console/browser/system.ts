/** Clock, timers, storage and clipboard of the browser. No other file of the page uses them. */

import { effect, signal } from "@preact/signals";
import { readOrNull } from "../../../src/domain/read-or-null.ts";
import { isLoopbackInBrowser } from "../../loopback.ts";

/** Milliseconds with fractions from an arbitrary start. It never goes back. */
export const monotonicMs = (): number => performance.now();

/** The time of the machine, which may be set. */
export const machineMs = (): number => Date.now();

/** @returns a function that cancels it */
export function after(durationMs: number, run: () => void): () => void {
  const timer = setTimeout(run, durationMs);
  return () => clearTimeout(timer);
}

export const sleep = (durationMs: number): Promise<void> =>
  new Promise((resolve) => {
    after(durationMs, resolve);
  });

export const every = (intervalMs: number, run: () => void): void => void setInterval(run, intervalMs);

/** Whether the person looks at another tab. */
export const isHidden = signal(document.hidden);
document.addEventListener("visibilitychange", () => {
  isHidden.value = document.hidden;
});

/** Waits until a condition over signals holds. */
export function becomes(condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!condition()) return;
      resolve();
      // `stop` has no value yet.
      queueMicrotask(() => stop());
    });
  });
}

/** Kept until the tab is closed. If the browser forbids storage, nothing is kept. */
export const tabMemory = {
  read: (name: string): string | null => readOrNull(() => sessionStorage.getItem(`momo.${name}`)),
  write: (name: string, value: string): void => void readOrNull(() => sessionStorage.setItem(`momo.${name}`, value)),
};

/** Replaces the address without a new entry in the history. */
export const replaceAddress = (hash: string): void => history.replaceState(null, "", hash);

/** Whether the browser runs on the machine of the server. */
export const isLoopback = (): boolean => isLoopbackInBrowser(location.hostname);

export function saveFile(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

/** @returns whether it is in the clipboard; except on loopback, a browser may refuse it */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs a function at once, and then at most once per interval, never twice at the same time. After the last call it always runs
 * once more.
 * @param intervalMs from the end of a run to the next one; it may grow with the amount of work
 */
export function throttled(intervalMs: () => number, run: () => Promise<void>): () => void {
  let isBusy = false;
  let isWanted = false;

  async function start(): Promise<void> {
    isBusy = true;
    isWanted = false;
    try {
      await run();
    } finally {
      after(intervalMs(), () => {
        isBusy = false;
        if (isWanted) void start();
      });
    }
  }

  return () => {
    isWanted = true;
    if (!isBusy) void start();
  };
}
