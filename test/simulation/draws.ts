import { OUTCOMES as OUTCOME_TABLE } from "../../sandbox/network/outcomes.ts";
import type { FilterName } from "../../src/domain/filters.ts";
import type { Random } from "../../src/domain/random.ts";
import { mulberry32 } from "../support/random.ts";
import { dayInNairobi } from "./auditor/views.ts";

/** Draws orders, rules and queries, bounds included. */

// Of the program, so that a new outcome is drawn, too. The auditor has its own table of them.
export const OUTCOMES = OUTCOME_TABLE.map(({ name }) => name);
const ANNOUNCED = OUTCOME_TABLE.filter(({ ending }) => ending.by === "network").map(({ name }) => name);
const TEST_PHONES = OUTCOME_TABLE.map(({ phone }) => phone);
const AFTER = ["1ms", "500ms", "1s", "5s", "59s", "59999ms", "1m", "61s", "1h"];
const REFERENCES = ["Order-1", "order-10", "ORDER-2", "École", "100%", "a_b", "0712", "ws_CO_", "😀 shop", ""];

/** @param serial makes most orders different from all others */
export function drawOrder(prng: Prng, accountId: number, serial: number): object {
  return {
    payment_account_id: accountId,
    phone: drawPhone(prng),
    amount: drawAmount(prng),
    ...(prng.chance(0.5) && { reference: prng.pick(REFERENCES) }),
    ...(prng.chance(0.9) && { description: `payment ${serial}` }),
  };
}

function drawPhone(prng: Prng): string {
  if (prng.chance(0.5)) return prng.pick(TEST_PHONES);
  const national = `${prng.pick(["7", "1"])}${prng.pick(["12345", "10000"])}${prng.int(100, 999)}`;
  return prng.pick(["0", "254"]) + national;
}

function drawAmount(prng: Prng): number {
  if (prng.chance(0.2)) return prng.pick([1, 1.01, 1.5, 250_000, 250_000.01, 999_999_999.99]);
  return prng.chance(0.5) ? prng.int(1, 5000) : Number(`${prng.int(1, 9000)}.${prng.pick(["5", "25", "99", "07"])}`);
}

/** What `X-Sandbox-Outcome` says. */
export function drawChoice(prng: Prng): string {
  switch (prng.weighted({ plain: 4, after: 5, bad: 0.5 })) {
    case "plain":
      return prng.pick(OUTCOMES);
    case "after":
      return `${prng.pick(ANNOUNCED)}; after=${prng.pick(AFTER)}`;
    case "bad":
      return prng.pick(["nothing", "completed; after=3", "manual; after=3s", "completed; after=25h"]);
  }
}

export function drawDefault(prng: Prng): object {
  const outcome = prng.pick(OUTCOMES);
  const isTimed = ANNOUNCED.includes(outcome) && prng.chance(0.5);
  return { outcome, ...(isTimed && { after: prng.pick(["1ms", "3s", "59s", "61s", "1h"]) }) };
}

export function drawRule(prng: Prng, accountId: number): object {
  return {
    match: {
      ...(prng.chance(0.3) && { phone: drawPhone(prng) }),
      ...(prng.chance(0.1) && { amount: drawAmount(prng) }),
      ...(prng.chance(0.3) && { payment_account_id: accountId }),
      ...(prng.chance(0.3) && { reference: prng.pick(REFERENCES) }),
    },
    ...drawDefault(prng),
    ...(prng.chance(0.6) && { times: prng.int(1, 3) }),
  };
}

/**
 * A query of the list, with any filters.
 * @param texts what could be searched for
 */
export function drawQuery(prng: Prng, nowMs: number, texts: readonly string[]): string {
  const day = () => dayInNairobi(nowMs - prng.int(-1, 3) * 86_400_000);
  const search = () => {
    const text = prng.pick([...REFERENCES.filter((reference) => reference !== ""), ...texts.slice(-30)]);
    const typed = prng.chance(0.3) ? prng.pick(["07", "2547", "+2547", "7", "ws_co_", "u", "254"]) : text;
    const cut = [...typed].slice(0, prng.int(1, typed.length)).join("");
    return prng.chance(0.3) ? cut.toLowerCase() : cut;
  };
  // The compiler refuses a filter that is missing here.
  const filters: Record<FilterName | "page" | "limit", () => string> = {
    page: () => String(prng.pick([1, 1, 2, 2, 3, 4, 1000])),
    limit: () => String(prng.pick([1, 2, 3, 5, 7, 10, 100])),
    type: () => prng.pick(["api", "API", "web", "Wallet_Deposit", "credit_topup"]),
    status: () => prng.pick(["pending", "completed", "Failed", "cancelled", "EXPIRED"]),
    date_from: day,
    date_to: day,
    search,
    id: () => String(prng.int(1, 60)),
  };
  const query = new URLSearchParams();
  for (const [name, draw] of Object.entries(filters)) {
    if (prng.chance({ page: 0.5, limit: 0.7, id: 0.05 }[name] ?? 0.2)) query.set(name, draw());
  }
  return query.toString();
}

/** Random numbers, the same for the same seed. A simulation has no other source of randomness. */
export interface Prng extends Random {
  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number;
  /** True in about `probability` of all cases. */
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** A name, drawn by its weight. */
  weighted<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K;
  /** A separate stream: more draws from one do not change the draws from the other. */
  fork(): Prng;
}

/** @param seed a whole number; its lower 32 bits count */
export function createPrng(seed: number): Prng {
  const draw = mulberry32(seed);
  /** From 0 to below 1. */
  const next = () => draw() / 2 ** 32;
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));

  return {
    int,
    chance: (probability) => next() < probability,
    pick<T>(values: readonly T[]): T {
      if (values.length === 0) throw new Error("there is nothing to pick from");
      return values[int(0, values.length - 1)] as T;
    },
    weighted<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K {
      const entries = Object.entries(weights) as [K, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [name, weight] of entries) {
        left -= weight;
        if (left < 0) return name;
      }
      return entries[0]?.[0] as K; // rounding left a rest
    },
    fork: () => createPrng(int(0, 2 ** 32 - 1)),
    bytes: (count) => Uint8Array.from({ length: count }, () => int(0, 255)),
  };
}
