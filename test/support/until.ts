import { PATIENCE_MS } from "./time-outs.ts";

/** Polls a state that has no event. */
export async function until<T>(read: () => Promise<T>, isEnough: (found: T) => boolean): Promise<T> {
  const lateAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await read();
    if (isEnough(found)) return found;
    if (performance.now() > lateAtMs) throw new Error(`it took too long; the last state: ${JSON.stringify(found)}`);
    await Bun.sleep(5);
  }
}
