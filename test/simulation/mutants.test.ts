import { describe, expect, test } from "bun:test";
import type { VirtualClock } from "../../sandbox/network/clock.ts";
import type { RuleBook } from "../../sandbox/network/rules.ts";
import type { Provider } from "../../src/domain/provider.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import type { Store } from "../../src/store/store.ts";
import { rejectionOf } from "../support/waiting.ts";
import { SimulationFailure, simulate } from "./run.ts";

/** The number of seeds that find every mutant; without a mutant all of them pass (simulation.test.ts). */
const SEEDS = 12;

async function simulateBroken(mutant: Mutant): Promise<void> {
  for (let seed = 1; seed <= SEEDS; seed += 1) await simulate(seed, { mutant });
}

describe(`the simulation finds in ${SEEDS} seeds that`, () => {
  test.each(Object.entries(MUTANTS))("%s", async (_name, mutant) => {
    expect(await rejectionOf(simulateBroken(mutant))).toBeInstanceOf(SimulationFailure);
  });
});

/** A program with one broken part: each function takes the correct part, and returns the broken one. */
export interface Mutant {
  readonly store?: (store: Store) => Store;
  readonly clock?: (clock: VirtualClock) => VirtualClock;
  /** Changes the given rules, which the network uses. */
  readonly rules?: (rules: RuleBook) => void;
  /** The network as the service sees it, failures included. */
  readonly provider?: (provider: Provider) => Provider;
}

/** Each name says what is broken. The simulation must find every one. */
export const MUTANTS: Readonly<Record<string, Mutant>> = {
  "a cancelled prompt ends as failed": answering(async (ask) => {
    const answer = await ask();
    return answer.status === "cancelled" ? { ...answer, status: "failed" } : answer;
  }),
  "an outcome after the deadline counts": answering(async (ask, { expiresAtMs }) => {
    const answer = await ask();
    return answer.status === "pending" ? answer : { ...answer, atMs: Math.min(answer.atMs, expiresAtMs - 1) };
  }),
  "an answer that comes after its turn is lost": answering(async (ask) => {
    let isLate = false;
    setImmediate(() => {
      isLate = true;
    });
    const answer = await ask();
    return isLate ? new Promise(() => {}) : answer;
  }),
  "a payment is asked about again while a check is in flight": answering((ask) => {
    void ask().catch(() => {});
    return ask();
  }),
  "a provider that never answers blocks all payments": {
    // The end of a turn is an alarm that is due at once.
    clock: (clock) =>
      derived(clock, { alarm: (atMs, ring) => (atMs <= clock.nowMs() ? () => {} : clock.alarm(atMs, ring)) }),
  },
  "a frozen clock goes on": { clock: (clock) => derived(clock, { freeze: () => {} }) },
  "a rule with times is never used up": {
    rules(rules) {
      const { take } = rules;
      rules.take = (prompt) => {
        const before = rules.list();
        const choice = take(prompt);
        rules.replace(before);
        return choice;
      };
    },
  },
  "an outcome that comes second is reported as stored": transactions(({ record }) => ({
    async record(outcomes) {
      await record(outcomes);
      return [...outcomes];
    },
  })),
  "an outcome that was not written is reported as written": transactions(({ record }) => ({
    record: (outcomes) => record(outcomes).catch(() => [...outcomes]),
  })),
  "a payment that was not stored is answered as if it were": transactions(({ insert }) => ({
    insert: (transaction) => insert(transaction).catch(() => 0 as never),
  })),
  "the status of a payment that has ended is still pending": transactions(({ findByCheckoutRequestId }) => {
    const kept = new Map<string, Transaction>();
    return {
      async findByCheckoutRequestId(id) {
        const found = kept.get(id) ?? (await findByCheckoutRequestId(id));
        if (found) kept.set(id, found);
        return found;
      },
    };
  }),
  "a revoked key still works": {
    store: (store) =>
      changed(store, "merchants", ({ findKey }) => ({
        async findKey(apiKey) {
          const key = await findKey(apiKey);
          return key && { ...key, revokedAtMs: null };
        },
      })),
  },
  "a search finds another merchant's payments": listing((list, merchantId, filter, page) =>
    list(filter.search === undefined ? merchantId : (merchantId % 2) + 1, filter, page),
  ),
};

type List = Store["transactionList"]["list"];

function listing(broken: (list: List, ...asked: Parameters<List>) => ReturnType<List>): Mutant {
  return {
    store: (store) => changed(store, "transactionList", ({ list }) => ({ list: (...asked) => broken(list, ...asked) })),
  };
}

function transactions(change: (sound: Store["transactions"]) => Partial<Store["transactions"]>): Mutant {
  return { store: (store) => changed(store, "transactions", change) };
}

function changed<Part extends "merchants" | "transactions" | "transactionList">(
  store: Store,
  part: Part,
  change: (sound: Store[Part]) => Partial<Store[Part]>,
): Store {
  return { ...store, [part]: { ...store[part], ...change(store[part]) } };
}

type Check = Provider["check"];

function answering(broken: (ask: () => ReturnType<Check>, ...asked: Parameters<Check>) => ReturnType<Check>): Mutant {
  return {
    provider: ({ push, check }) => ({
      push,
      check: (...asked) => broken(() => check(...asked), ...asked),
    }),
  };
}

/** The same part with some functions replaced; its getters still work. */
function derived<T extends object>(sound: T, replaced: Partial<T>): T {
  return Object.assign(Object.create(sound), replaced);
}
