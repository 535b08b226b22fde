import type { FakeTimers } from "./test-sandbox.ts";

const STEP_MS = 500;
const DAY_MS = 24 * 3_600_000;
const UNITS_MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

type Send = (method: string, path: string, body: object) => Promise<unknown>;

/**
 * Moves two clocks in steps.
 * @param until a duration, or a promise of the code under test
 * @param send a call of the control API
 */
export async function advanceTogether<T>(
  timers: FakeTimers,
  until: PromiseLike<T> | string,
  send: Send,
): Promise<T | undefined> {
  const isDuration = typeof until === "string";
  let isSettled = false;
  const settle = () => {
    isSettled = true;
  };
  if (!isDuration) until.then(settle, settle);
  for (let leftMs = isDuration ? parse(until) : DAY_MS; leftMs > 0; leftMs -= STEP_MS) {
    await pause(send);
    if (isSettled) return until as PromiseLike<T>;
    const stepMs = Math.min(STEP_MS, leftMs);
    await send("POST", "/clock", { advance: `${stepMs}ms` });
    if ("tick" in timers) timers.tick(stepMs);
    else timers.advanceTimersByTime(stepMs);
  }
  if (!isDuration) throw new Error("the promise is still pending after a day of the sandbox's clock");
  await pause(send);
  return undefined;
}

/** Real time for the requests of the code under test. The server waits, because all timers of this process may be fake. */
const pause = (send: Send) => send("POST", "/wait", { reference: "-", timeout: "5ms" }).catch(() => {});

function parse(duration: string): number {
  const [, count, unit] = /^([0-9]+)(ms|s|m|h)$/.exec(duration) ?? [];
  if (unit === undefined) throw new Error(`advanceWith needs a promise, or a duration such as 5s; it is "${duration}"`);
  return Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS];
}
