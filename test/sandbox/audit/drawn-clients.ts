import fc from "fast-check";
import type { Answer, Scene } from "../../support/scene.ts";

/** The calls of drawn clients, over the real handler and a real store. */

export const SEED = Number(process.env.MOMO_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** What fast-check gets, and prints. */
export const drawn = (numRuns: number) => ({ seed: SEED, numRuns, verbose: 1 as const });

export interface Order {
  readonly reference: string;
  readonly phone: string;
  readonly amount: number;
}

export const order = fc.record({
  reference: fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    .map((text) => `O-${text}`)
    .filter((text) => text.isWellFormed() && !/\p{Cc}/u.test(text)),
  phone: fc.integer({ min: 710_000_000, max: 798_999_999 }).map((number) => `0${number}`),
  amount: fc.integer({ min: 1, max: 1000 }),
});

/** What a client can send to a scene. */
export interface Calls {
  /** Null if the answer is lost. */
  call(method: string, path: string, json?: object): Promise<Answer | null>;
  push(one: Order): Promise<Answer | null>;
  /** The status in the answer; null if there is none. */
  ask(id: string): Promise<string | null>;
  pushOf(one: Order): object;
}

export function callsOf(scene: Scene): Calls {
  const call: Calls["call"] = (method, path, json) =>
    scene.send({ method, path, ...(json && { json }) }).catch(() => null);
  const pushOf: Calls["pushOf"] = ({ reference, phone, amount }) => ({
    payment_account_id: scene.caller.accountId,
    phone,
    amount,
    reference,
  });
  return {
    call,
    pushOf,
    push: (one) => call("POST", "/stkpush.php", pushOf(one)),
    ask: async (id) => textIn(await call("POST", "/status.php", { checkout_request_id: id }), "status"),
  };
}

export const textIn = (answer: Answer | null, member: string): string | null =>
  answer?.status === 200 && typeof answer.body[member] === "string" ? String(answer.body[member]) : null;
