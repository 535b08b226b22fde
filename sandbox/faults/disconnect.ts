import { faultKind } from "./kind.ts";

/** Carries the operation out, and closes the connection. */
export const disconnect = faultKind({
  words: "the answer is lost",
  members: () => ({}),
  inWords: () => "the answer is lost",
  async strike(_fault, { carryOut }) {
    return { ...(await carryOut()), isLost: true, response: brokenOff() };
  },
});

/** An answer that fails before its first byte, so the server closes the connection. The error is undefined: nothing is printed. */
function brokenOff(): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.error(undefined) }));
}
