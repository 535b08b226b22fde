import { faultKind } from "./kind.ts";

/** Carries the operation out, and closes the connection. */
export const disconnect = faultKind({
  words: "the answer is lost",
  members: () => ({}),
  inWords: () => "the answer is lost",
  async strike(_fault, { carryOut }) {
    const own = await carryOut();
    return { own, answer: own, isLost: true };
  },
});
