import { kindOf } from "../../src/domain/error.ts";
import type { Profile } from "../../src/http/profile.ts";
import { isObject, type Json } from "./bounded.ts";
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
export interface Checking {
  readonly service: Service;
  readonly payment: PaymentToMake | null;
  /** How many pushes are left, and the orders that were sent. */
  pushesLeft: number;
  readonly pushed: Set<string>;
  /** Whether the payment became final; undefined until that was tried. */
  isFinal?: boolean;
}

/** What a check has seen. */
export interface Seen {
  /** What shows it; null where no single answer does. */
  readonly exchange: Exchange | null;
  /** Why a stated sentence does not hold; null if it holds. */
  readonly wrong?: string | null;
  /** What the service does where the specification is silent, in words. */
  readonly does?: string;
  readonly profile?: Profile;
  /** Whether a profile has no room for all of it. */
  readonly isTooMuch?: boolean;
  /** The part of the answer that shows it; by default its beginning. */
  readonly part?: Json;
}

export interface Check {
  readonly id: string;
  readonly section: string;
  readonly sentence: string;
  /** What momo does; absent for a stated sentence. */
  readonly momo?: string;
  /** @throws Skip, Stopped */
  readonly look: (checking: Checking) => Promise<Seen>;
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
  if (!Array.isArray(items)) throw new Skip(`the list was answered with ${status}, without an array of transactions`);
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

export const NO_TRANSACTIONS = "the account has no transactions";

/** The id that no transaction has. */
export const NO_RECORD = "999999999999999";

/** The newest transaction. @throws Skip if there is none */
export async function newest(service: Service): Promise<Json> {
  const [item] = (await list(service)).items;
  if (!item) throw new Skip(NO_TRANSACTIONS);
  return item;
}

/** The answer to the status of a transaction in the list, or of the check's own payment. @throws Skip if no id is known */
export async function statusOf(service: Service, item: Json): Promise<Exchange> {
  const started = service.exchanges.find(({ json }) => json?.success === true && "merchant_request_id" in json);
  const checkout_request_id = item.checkout_request_id ?? started?.json?.checkout_request_id;
  return service.ask(statusAsk({ checkout_request_id }, "the list shows no checkout_request_id"));
}

/** The longest id that is asked for, and shown in reports. */
const LONGEST_ID = 200;

/** A request for the status of a payment. @throws Skip with `none` if it has no id */
export function statusAsk({ checkout_request_id }: Json, none = "the payment has no checkout_request_id"): Ask {
  if (typeof checkout_request_id !== "string") throw new Skip(none);
  if (checkout_request_id.length > LONGEST_ID)
    throw new Skip(`its checkout_request_id has more than ${LONGEST_ID} characters`);
  return { path: "/status.php", json: { checkout_request_id } };
}

/** The list with one transaction. @throws Skip if the id cannot be used in a request */
export function listById(service: Service, id: unknown): Promise<Listed> {
  if (typeof id === "object" || String(id).length > LONGEST_ID) throw new Skip("its id is not a number");
  return list(service, `?id=${encodeURIComponent(String(id))}`);
}

export type Test = readonly [words: string, fits: (value: unknown) => boolean];

/** A value in a sentence. It is never cut: half a secret is not recognised. */
export function shown(value: unknown): string {
  if (value === undefined) return "missing";
  const text = JSON.stringify(value);
  if (text.length <= MOST_SHOWN) return text;
  return typeof value === "string" ? `a string of ${value.length} characters` : kindOf(value);
}

const MOST_SHOWN = 100;

export const holds = (exchange: Exchange | null): Seen => ({ exchange, wrong: null });
export const wrong = (exchange: Exchange | null, why: string, part?: Json | null): Seen => ({
  ...{ exchange, wrong: why },
  ...(part && { part }),
});
/** @param why what is wrong, if it does not hold */
export const judge = (exchange: Exchange | null, doesHold: boolean, why: string, part?: Json | null): Seen =>
  doesHold ? holds(exchange) : wrong(exchange, why, part);
/** Compares a value with what it must be. */
export const must = (exchange: Exchange, name: string, value: unknown, [words, fits]: Test, part?: Json | null): Seen =>
  judge(exchange, fits(value), `\`${name}\` must be ${words}; it is ${shown(value)}`, part);

export const check = (id: string, section: string, sentence: string, look: Check["look"]): Check => ({
  id,
  section,
  sentence,
  look,
});
