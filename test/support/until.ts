import { PATIENCE_MS } from "./time-outs.ts";

/** Looks again and again, for what nobody tells. */
export async function until<T>(look: () => Promise<T>, isEnough: (found: T) => boolean): Promise<T> {
  const lateAtMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (isEnough(found)) return found;
    if (performance.now() > lateAtMs) throw new Error(`in vain: ${JSON.stringify(found)}`);
    await Bun.sleep(5);
  }
}
