import { kindOf } from "../../src/domain/error.ts";
import type { Profile } from "../../src/http/profile.ts";
import { isObject, type Json } from "./bounded.ts";
import type { Behaviour, Breaks, Fact, Received } from "./fact.ts";
import { type Ask, type Exchange, type Service, Skip } from "./service.ts";

/** What a check is, and what the checks read in answers. */

/** What a payment of the check may be. */
export interface PaymentToMake {
  readonly phone: string;
  readonly amount: number;
  readonly accountId: number;
  /** How many pushes may reach the phone, those that should be refused included. */
  readonly maxPushes: number;
}

/** A service, and what the checks leave for one another. */
export interface CheckRun {
  readonly service: Service;
  readonly payment: PaymentToMake | null;
  /** How many pushes are left, and the orders that were sent. */
  pushesLeft: number;
  readonly pushed: Set<string>;
  /** Whether the payment became final; undefined until that was tried. */
  isFinal?: boolean;
}

/** What a check has seen. */
export interface CheckResult {
  /** What shows it; null where no single answer does. */
  readonly exchange: Exchange | null;
  /** Why a stated sentence does not hold, or what the service does where the specification is silent; null if it holds. */
  readonly fact: Fact | null;
  readonly profile?: Profile;
  /** The part of the answer that shows it; by default its beginning. */
  readonly part?: Json;
}

export interface Check {
  readonly id: string;
  readonly section: string;
  readonly sentence: string;
  readonly breaks: Breaks;
  /** What momo does with a profile; absent for a stated sentence. */
  readonly momo?: (profile: Profile) => Behaviour;
  /** @throws Skip, Stopped */
  readonly run: (checkRun: CheckRun) => Promise<CheckResult>;
}

/** A page of the list. */
export interface Listed {
  readonly exchange: Exchange;
  readonly arrayName: "transactions" | "data";
  readonly items: readonly Json[];
  readonly pagination: Json;
  readonly summary: Json | null;
  readonly filters: Json | null;
}

/** @throws Skip if the answer has no list */
export async function list(service: Service, query = ""): Promise<Listed> {
  const exchange = await service.ask({ path: `/transactions.php${query}` });
  return listIn(exchange);
}

export function listIn(exchange: Exchange): Listed {
  const { json, status } = exchange;
  const arrayName = Array.isArray(json?.transactions) ? "transactions" : "data";
  const items = json?.[arrayName];
  if (!Array.isArray(items)) throw new Skip({ kind: "no_list", status });
  return {
    exchange,
    arrayName,
    items: items.filter(isObject),
    pagination: isObject(json?.pagination) ? json.pagination : {},
    summary: isObject(json?.summary) ? json.summary : null,
    filters: isObject(json?.filters_applied) ? json.filters_applied : null,
  };
}

/** Members of a transaction that the short form of the list does not have (§4.3). */
const ONLY_FULL = ["checkout_request_id", "result_code", "kind", "is_deposit"];

/** Whether the list has the earlier, shorter form. */
export const isShort = ({ items, arrayName, summary }: Listed): boolean =>
  items[0] === undefined
    ? arrayName === "data" && summary === null
    : ONLY_FULL.every((name) => !(name in (items[0] ?? {})));

/** The id that no transaction has. */
export const NO_RECORD = "999999999999999";

/** The newest transaction. @throws Skip if there is none */
export async function newest(service: Service): Promise<Json> {
  const [item] = (await list(service)).items;
  if (!item) throw new Skip({ kind: "no_transactions" });
  return item;
}

/** The answer to the status of a transaction in the list, or of the check's own payment. @throws Skip if no id is known */
export async function statusOf(service: Service, item: Json): Promise<Exchange> {
  const started = service.exchanges.find(({ json }) => json?.success === true && "merchant_request_id" in json);
  const checkout_request_id = item.checkout_request_id ?? started?.json?.checkout_request_id;
  return service.ask(statusAsk({ checkout_request_id }));
}

/** The longest id that is asked for, and shown in reports. */
const LONGEST_ID = 200;

/** A request for the status of a payment. @throws Skip if it has no id that can be asked for */
export function statusAsk({ checkout_request_id }: Json): Ask {
  if (typeof checkout_request_id !== "string") throw new Skip({ kind: "not_shown", member: "checkout_request_id" });
  if (checkout_request_id.length > LONGEST_ID) throw new Skip({ kind: "unusable_id" });
  return { path: "/status.php", json: { checkout_request_id } };
}

/** The list with one transaction. @throws Skip if the id cannot be used in a request */
export function listById(service: Service, id: unknown): Promise<Listed> {
  if (typeof id === "object" || String(id).length > LONGEST_ID) throw new Skip({ kind: "unusable_id" });
  return list(service, `?id=${encodeURIComponent(String(id))}`);
}

/** A value as a fact has it. It is never cut: half a secret is not recognised. */
export function received(value: unknown): Received {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  if (text.length <= MOST_SHOWN) return text;
  return typeof value === "string" ? `a string of ${value.length} characters` : kindOf(value);
}

const MOST_SHOWN = 100;

export const ok = (exchange: Exchange | null): CheckResult => ({ exchange, fact: null });

export const violated = (exchange: Exchange | null, fact: Fact, part?: Json): CheckResult => ({
  exchange,
  fact,
  ...(part && { part }),
});

/** @param fact what is wrong, if it does not hold */
export const okIf = (doesHold: boolean, exchange: Exchange, fact: Fact, part?: Json): CheckResult =>
  doesHold ? ok(exchange) : violated(exchange, fact, part);

/** @param fits whether the value is what it must be */
export const expectMember = (
  exchange: Exchange,
  name: string,
  value: unknown,
  fits: boolean,
  part?: Json,
): CheckResult => okIf(fits, exchange, { kind: "member", name, received: received(value) }, part);

export const recorded = (exchange: Exchange | null, fact: Behaviour, profile: Profile = {}): CheckResult => ({
  exchange,
  fact,
  profile,
});

/** A sentence that, if it does not hold, costs money or stops a client. */
export const check = (id: string, section: string, sentence: string, run: Check["run"]): Check => ({
  id,
  section,
  sentence,
  breaks: "money",
  run,
});

/** A sentence about the shape of answers. */
export const shapeCheck = (id: string, section: string, sentence: string, run: Check["run"]): Check => ({
  ...check(id, section, sentence, run),
  breaks: "shape",
});

/** The result, if the account has so many transactions: with fewer, it shows nothing. @throws Skip */
export async function whereSome(service: Service, result: CheckResult, least = 1): Promise<CheckResult> {
  await newest(service);
  if ((await list(service)).items.length < least) throw new Skip({ kind: "one_transaction" });
  return result;
}
