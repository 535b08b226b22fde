import { PATIENCE_MS } from "./time-outs.ts";

/** Looks again and again, for a state without an event. */
export async function until<T>(look: () => Promise<T>, isEnough: (found: T) => boolean): Promise<T> {
  const lateAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (isEnough(found)) return found;
    if (performance.now() > lateAtMs) throw new Error(`it took too long; the last state: ${JSON.stringify(found)}`);
    await Bun.sleep(5);
  }
}
