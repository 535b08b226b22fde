import type { PredictedDefault, PredictedRule } from "./prediction.ts";

/** The default of `momo serve`. */
const START_DEFAULT: PredictedDefault = { outcome: "completed" };

/** Everything but the payments: keys, accounts, the clock, and the rules. */
export class Environment {
  readonly keys = new Map<string, { readonly secret: string; readonly merchantId: number }>();
  readonly accounts = new Map<number, { readonly merchantId: number; readonly tariff: string }>();
  /** In order; `times` of a rule is counted down here. */
  rules: PredictedRule[] = [];
  byDefault: PredictedDefault = START_DEFAULT;
  clock: { readonly frozenAtMs: number } | { readonly aheadMs: number } = { aheadMs: 0 };
  readonly #outsideMs: () => number;

  constructor(outsideMs: () => number) {
    this.#outsideMs = outsideMs;
  }

  nowMs(): number {
    return "frozenAtMs" in this.clock ? this.clock.frozenAtMs : this.#outsideMs() + this.clock.aheadMs;
  }

  outsideMs(): number {
    return this.#outsideMs();
  }

  /** The process forgets the rules and the default, but not the clock. */
  processEnded(): void {
    this.rules = [];
    this.byDefault = START_DEFAULT;
  }

  whoseKey(key: string): number | null {
    return this.keys.get(key)?.merchantId ?? null;
  }

  /** Headers with which a merchant's list can be read. */
  keyOf(merchantId: number): Record<string, string> {
    for (const [key, { secret, merchantId: owner }] of this.keys) {
      if (owner === merchantId) return { "X-API-Key": key, "X-API-Secret": secret };
    }
    throw new Error(`merchant ${merchantId} has no key left`);
  }
}
