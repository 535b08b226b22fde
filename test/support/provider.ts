import type { Provider } from "../../src/domain/provider.ts";

/** A network that takes every prompt, wants to be asked after 3 s, and then says what a test makes it say. */
export function createProvider(check: Provider["check"], firstCheckAfterMs = 3000): Provider {
  let pushes = 0;
  return {
    async push({ pushedAtMs }) {
      pushes += 1;
      return {
        memo: `memo ${pushes}`,
        checkAtMs: pushedAtMs + firstCheckAfterMs,
      };
    },
    check,
  };
}
