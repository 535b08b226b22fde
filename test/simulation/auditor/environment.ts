import type { PredictedDefault, PredictedRule } from "./prediction.ts";

/** As the server is started here: the default of `momo serve`. */
const START_DEFAULT: PredictedDefault = { outcome: "completed" };

/** All that is not a payment: whose keys and accounts there are, what the clock shows, and which rules are in force. */
export class Environment {
  readonly keys = new Map<string, { readonly secret: string; readonly merchantId: number }>();
  readonly accounts = new Map<number, { readonly merchantId: number; readonly tariff: string }>();
  readonly merchants = new Map<number, string>();
  /** In order; what a rule has left of its times is counted down in place. */
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

  /** Rules and the default live as long as the process; the clock stands where it stood. */
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
