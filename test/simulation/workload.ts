import { drawChoice, drawDefault, drawOrder, drawQuery, drawRule, OUTCOMES, type Prng } from "./draws.ts";
import { api, control } from "./engine.ts";
import type { Answer, Sent } from "./events.ts";
import { FAULT_SETS, type FaultSet } from "./unreliable-database.ts";

/** The next step of a history. */
export type Step =
  /** Requests that are in flight together; the process may die after so many turns. */
  | { readonly do: "send"; readonly requests: readonly Sent[]; readonly dieAfterTurns?: number }
  | { readonly do: "pass"; readonly ms: number; readonly dieAfterTurns?: number }
  | { readonly do: "faults"; readonly name: FaultSet }
  | { readonly do: "revoke"; readonly apiKey: string }
  | { readonly do: "restart" }
  | { readonly do: "kill" };

interface Key {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly merchantId: number;
}

/** What a client has seen, and can use in requests. */
export interface Seen {
  readonly keys: Key[];
  readonly revoked: Key[];
  readonly accounts: { readonly id: number; readonly merchantId: number }[];
  readonly checkoutIds: string[];
  readonly texts: string[];
}

export interface WorkloadOptions {
  readonly prng: Prng;
  /** The process's time. */
  readonly nowMs: () => number;
}

const TARIFFS = ["1%", "0%", "1.5%", "2.75%+10", "0.33%", "25", "100%+0.5", "0.01%"];

/** How often each step happens, in an average history. */
const WEIGHTS = {
  pay: 26,
  status: 8,
  list: 20,
  pass: 22,
  answer: 8,
  rules: 8,
  clock: 5,
  prompts: 2,
  faults: 8,
  restart: 1,
  kill: 1,
  account: 1,
  key: 1.5,
  revoke: 2,
  reset: 0.7,
};

/** Few merchants, so that each has payments. */
const MAX_MERCHANTS = 4;

/** Draws what merchants, customers and failures do next. Knows only what a client knows. */
export class Workload {
  readonly seen: Seen = { keys: [], revoked: [], accounts: [], checkoutIds: [], texts: [] };
  readonly #prng: Prng;
  readonly #options: WorkloadOptions;
  /** Different in each history: one that has much of one step and little of another finds other mistakes. */
  readonly #weights: typeof WEIGHTS;
  #faults: FaultSet = "none";
  #serial = 0;

  constructor(options: WorkloadOptions) {
    this.#options = options;
    this.#prng = options.prng;
    const lives = Object.entries(WEIGHTS).map(([what, weight]) => [what, weight * this.#prng.pick([0.2, 1, 1, 3])]);
    this.#weights = Object.fromEntries(lives);
  }

  next(): Step {
    const prng = this.#prng;
    const { keys, accounts } = this.seen;
    const merchants = new Set(keys.map(({ merchantId }) => merchantId));
    if (merchants.size < 2 || (merchants.size < MAX_MERCHANTS && prng.chance(0.01))) return this.#register();
    const bare = [...merchants].find((id) => !accounts.some(({ merchantId }) => merchantId === id));
    if (bare !== undefined) return this.#openAccount(bare);
    const steps: Readonly<Record<keyof typeof WEIGHTS, () => Step>> = {
      pay: () => this.#pay(),
      status: () => send(this.#status()),
      list: () => send(this.#list()),
      pass: () => ({ do: "pass", ms: this.#duration(), ...this.#perhapsDeath() }),
      answer: () => this.#answer(),
      rules: () => send(this.#rules()),
      clock: () => send(this.#clock()),
      prompts: () => send(control("GET", "/prompts")),
      faults: () => {
        this.#faults = prng.pick(Object.keys(FAULT_SETS) as FaultSet[]);
        return { do: "faults", name: this.#faults };
      },
      restart: () => ({ do: "restart" }),
      kill: () => ({ do: "kill" }),
      account: () => this.#openAccount(prng.pick([...merchants])),
      key: () => send(control("POST", "/keys", { label: "more", merchant_id: prng.pick([...merchants]) })),
      revoke: () => this.#revoke(),
      reset: () => send(control("POST", "/reset")),
    };
    return steps[prng.weighted(this.#weights)]();
  }

  /** Remembers what an answer tells a client. */
  learn({ target, body: sent }: Sent, answer: Answer): void {
    if (answer.status !== 200) return;
    const body = answer.body as Record<string, unknown>;
    const { keys, accounts, checkoutIds, texts } = this.seen;
    if (target === "/_momo/merchants") {
      this.#merchantWithoutKey = Number(body.id);
    } else if (target === "/_momo/accounts") {
      accounts.push({ id: Number(body.id), merchantId: Number(body.merchant_id) });
    } else if (target === "/_momo/keys") {
      const { api_key, api_secret, merchant_id } = body;
      keys.push({ apiKey: String(api_key), apiSecret: String(api_secret), merchantId: Number(merchant_id) });
      this.#merchantWithoutKey = null;
    } else if (target === "/_momo/reset") {
      // Clients do not notice the reset, and still poll some payments.
      checkoutIds.splice(0, Math.max(0, checkoutIds.length - 3));
    } else if (typeof body.checkout_request_id === "string" && target.endsWith("/stkpush.php")) {
      checkoutIds.push(body.checkout_request_id);
      texts.push(body.checkout_request_id, String(body.merchant_request_id));
      const { phone } = JSON.parse(sent ?? "{}") as { phone?: string };
      texts.push(String(phone));
    }
    for (const name of ["transaction_code", "momo_receipt_number"]) {
      if (typeof body[name] === "string") texts.push(body[name]);
    }
    if (texts.length > 200) texts.splice(0, 100);
  }

  /** A merchant that has no key yet. */
  #merchantWithoutKey: number | null = null;

  #register(): Step {
    if (this.#merchantWithoutKey !== null) {
      return send(control("POST", "/keys", { label: "first", merchant_id: this.#merchantWithoutKey }));
    }
    return send(control("POST", "/merchants", { name: `Shop ${this.#prng.int(1, 99)}` }));
  }

  #openAccount(merchantId: number): Step {
    const fee = this.#prng.pick(TARIFFS);
    return send(control("POST", "/accounts", { name: "Till", fee, merchant_id: merchantId }));
  }

  #perhapsDeath(): { dieAfterTurns?: number } {
    const isDeadly = this.#faults === "deaths" || this.#faults === "all";
    return isDeadly && this.#prng.chance(0.15) ? { dieAfterTurns: this.#prng.int(1, 4) } : {};
  }

  #pay(): Step {
    const { prng } = this.#options;
    const count = prng.chance(0.6) ? 1 : prng.int(2, 6);
    const requests = Array.from({ length: count }, () => (prng.chance(0.15) ? this.#testPayment() : this.#push()));
    // At the same time another client polls a payment.
    if (prng.chance(0.3)) requests.splice(prng.int(0, count), 0, this.#status());
    return { do: "send", requests, ...this.#perhapsDeath() };
  }

  #key(): Key {
    return this.#prng.pick(this.seen.keys);
  }

  /** Sometimes a revoked one. */
  #anyKey(): Key {
    const { revoked } = this.seen;
    return revoked.length > 0 && this.#prng.chance(0.15) ? this.#prng.pick(revoked) : this.#key();
  }

  #order(accountId: number): object {
    this.#serial += 1;
    return drawOrder(this.#prng, accountId, this.#serial);
  }

  #push(): Sent {
    const prng = this.#prng;
    const key = this.#key();
    const mine = this.seen.accounts.filter(({ merchantId }) => merchantId === key.merchantId);
    const account = prng.pick(mine.length > 0 && prng.chance(0.97) ? mine : this.seen.accounts);
    const outcome = prng.chance(0.3) ? { "X-Sandbox-Outcome": drawChoice(prng) } : {};
    return api("POST", "/stkpush.php", key, this.#order(account.id), outcome);
  }

  #testPayment(): Sent {
    const prng = this.#prng;
    const kind = prng.pick(["api", "web", "wallet_deposit", "credit_topup"]);
    const outcome = prng.chance(0.3) ? { outcome: prng.pick(OUTCOMES) } : {};
    return control("POST", "/payments", { ...this.#order(prng.pick(this.seen.accounts).id), kind, ...outcome });
  }

  #someCheckoutId(): string {
    const { checkoutIds } = this.seen;
    const prng = this.#prng;
    if (checkoutIds.length === 0 || prng.chance(0.1)) return "ws_CO_20112026100000_NOBODYS";
    return prng.chance(0.6) ? prng.pick(checkoutIds.slice(-8)) : prng.pick(checkoutIds);
  }

  #status(): Sent {
    return api("POST", "/status.php", this.#anyKey(), { checkout_request_id: this.#someCheckoutId() });
  }

  #list(): Sent {
    const query = drawQuery(this.#prng, this.#options.nowMs(), this.seen.texts);
    return api("GET", `/transactions.php${query === "" ? "" : `?${query}`}`, this.#anyKey(), null);
  }

  #duration(): number {
    const prng = this.#prng;
    const nowMs = this.#options.nowMs();
    const toMidnightMs = 86_400_000 - ((nowMs + 10_800_000) % 86_400_000);
    return (
      prng.pick([0, 1, 500, 1000, 1000, 2999, 3000, 3000, 5000, 15_000, 30_000, 59_999, 60_000, 61_000]) +
      (prng.chance(0.05) ? toMidnightMs + prng.pick([-1, 0, 1]) : 0)
    );
  }

  #answer(): Step {
    const prng = this.#prng;
    const id = this.#someCheckoutId();
    const answers = [{ pin: "1234" }, { pin: "0000" }, { outcome: prng.pick(OUTCOMES) }, { outcome: "cancelled" }];
    const one = () => control("POST", `/prompts/${id}/answer`, prng.pick<object>(answers));
    return { do: "send", requests: prng.chance(0.25) ? [one(), one()] : [one()], ...this.#perhapsDeath() };
  }

  #rules(): Sent {
    const prng = this.#prng;
    const rule = () => drawRule(prng, prng.pick(this.seen.accounts).id);
    const rules = Array.from({ length: prng.int(1, 2) }, rule);
    const method = prng.weighted({ POST: 3, PUT: 2, DELETE: 2, GET: 1, default: 2 });
    if (method === "default") return control("PUT", "/default", drawDefault(prng));
    return method === "DELETE" || method === "GET" ? control(method, "/rules") : control(method, "/rules", rules);
  }

  #clock(): Sent {
    const prng = this.#prng;
    const advance = { advance: prng.pick(["1ms", "1s", "3s", "30s", "59999ms", "60s", "90s", "1h", "24h"]) };
    return control(
      "POST",
      "/clock",
      prng.pick<object>([advance, advance, advance, { freeze: true, ...advance }, { freeze: true }, { resume: true }]),
    );
  }

  #revoke(): Step {
    const { keys } = this.seen;
    // Each merchant keeps its first key, with which its list is read at the end.
    const spare = keys.filter((key, index) => keys.findIndex((one) => one.merchantId === key.merchantId) !== index);
    if (spare.length === 0) return send(this.#list());
    const key = this.#prng.pick(spare);
    keys.splice(keys.indexOf(key), 1);
    this.seen.revoked.push(key);
    return { do: "revoke", apiKey: key.apiKey };
  }
}

function send(...requests: Sent[]): Step {
  return { do: "send", requests };
}
