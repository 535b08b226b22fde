import type { Provider } from "../../src/domain/provider.ts";

/** A network that accepts every prompt, asks for the first check after 3 s, and then answers as the test says. */
export function createProvider(check: Provider["check"]): Provider {
  let pushes = 0;
  return {
    async push({ pushedAtMs }) {
      pushes += 1;
      return { memo: `memo ${pushes}`, checkAtMs: pushedAtMs + 3000 };
    },
    check,
  };
}
