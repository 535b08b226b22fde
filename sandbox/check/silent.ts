import {
  type AmountCents,
  BASIS,
  feeCents,
  formatTariff,
  MAX_FIXED_CENTS,
  type Tariff,
} from "../../src/domain/money.ts";
import { RESULT_CODES } from "../../src/domain/outcome.ts";
import { formatTimestamp, NAIROBI_OFFSET_MS } from "../../src/domain/timestamp.ts";
import { STATUSES } from "../../src/domain/transaction.ts";
import type { Profile, RefusalAnswer } from "../../src/http/profile.ts";
import type { Json } from "./bounded.ts";
import { type Check, type Checking, check, inState, isShort, list, listIn, newest, type Seen, shown } from "./facts.ts";
import { afterFinal, firstStatus, orderOf, paymentOf, push } from "./payment.ts";
import { type Exchange, type Service, Skip, UNKNOWN_ID } from "./service.ts";

/** What a service does where the specification is silent: recorded, never a failure. */

const silent = (id: string, section: string, sentence: string, momo: string, look: Check["look"]): Check => ({
  ...check(id, section, sentence, look),
  momo,
});

const does = (exchange: Exchange | null, words: string, profile: Profile = {}): Seen => ({
  exchange,
  does: words,
  profile,
});

const messageOf = ({ json }: Exchange): string => (typeof json?.message === "string" ? json.message : "");

/** A refusal as a profile has it; none where there is no message. */
const refusalOf = (exchange: Exchange): RefusalAnswer | null =>
  exchange.json?.success === false && messageOf(exchange) !== ""
    ? { status: exchange.status, message: messageOf(exchange) }
    : null;

/** Some services refuse with 200. */
const isTaken = ({ status, json }: Exchange): boolean => status === 200 && json?.success !== false;

/** The requests of a list with one wrong parameter, and whether it was refused. */
const badParameter = (
  id: string,
  sentence: string,
  query: string,
  momo: string,
  profile: (seen: Exchange, service: Service) => Profile | Promise<Profile> = () => ({}),
): Check =>
  silent(id, "§4.3", sentence, momo, async ({ service }) => {
    const exchange = await service.ask({ path: `/transactions.php?${query}` });
    if (!isTaken(exchange))
      return does(
        exchange,
        `refused with ${exchange.status}: ${messageOf(exchange)}`,
        await profile(exchange, service),
      );
    const { items, pagination } = listIn(exchange);
    const number = `page ${pagination.current_page}, at most ${pagination.per_page} transactions`;
    const page = items.length === 0 ? "an empty page" : `${number}; it has ${items.length}`;
    return does(exchange, `answered with 200: ${page}`, await profile(exchange, service));
  });

async function badFilter(exchange: Exchange, service: Service): Promise<Profile> {
  const { status } = exchange;
  if (!isTaken(exchange)) return { bad_filter: refusalOf(exchange) ?? { status, message: "the filter is refused" } };
  if (listIn(exchange).items.length > 0) return { bad_filter: "ignored" };
  // Without transactions both give an empty page.
  return (await list(service)).items.length > 0 ? { bad_filter: "empty" } : {};
}

const inBounds =
  (name: string, value: number) =>
  (exchange: Exchange): Profile => {
    if (!isTaken(exchange)) return { page_bounds: "refused" };
    return listIn(exchange).pagination[name] === value ? { page_bounds: "clamped" } : {};
  };

/** The tariff that gives all these fees; null if there is none of momo's form. */
function tariffOf(payments: readonly { readonly amount: AmountCents; readonly fee: number }[]): Tariff | null {
  const [one, ...others] = payments;
  if (!one) return null;
  const other = others.find(({ amount }) => amount !== one.amount);
  const slope = other ? (one.fee - other.fee) / (one.amount - other.amount) : one.fee / one.amount;
  const candidates: Tariff[] = [
    { basisPoints: Math.round((one.fee * 10_000) / one.amount), fixedCents: 0 },
    { basisPoints: 0, fixedCents: one.fee },
  ];
  const basisPoints = Math.round(slope * 10_000);
  const fixedCents = one.fee - feeCents({ basisPoints, fixedCents: 0 }, one.amount);
  candidates.push({ basisPoints, fixedCents });
  const fits = (tariff: Tariff) => payments.every(({ amount, fee }) => feeCents(tariff, amount) === fee);
  const isTariff = ({ basisPoints, fixedCents }: Tariff) =>
    basisPoints >= 0 && basisPoints <= BASIS && fixedCents >= 0 && fixedCents <= MAX_FIXED_CENTS;
  return candidates.find((tariff) => isTariff(tariff) && fits(tariff)) ?? null;
}

const cents = (value: unknown): number => Math.round(Number(value) * 100);

async function samples({ service }: Checking): Promise<Json[]> {
  const all = [...(await list(service)).items];
  for (const state of STATUSES) all.push(...(await inState(service, state)).items);
  for (const { json } of service.exchanges) if (json?.amount !== undefined) all.push(json);
  if (all.length === 0) throw new Skip("the account has no transactions");
  return all;
}

const ANOTHERS_ACCOUNT = "an account that is not the merchant's";

const BAD_STATUS = "status=momo-check";
/** A word of a filter in capitals. */
const CAPITALS = "status=COMPLETED";
const DAYS_REVERSED = "date_from=2026-02-02&date_to=2026-02-01";

export const SILENT_CHECKS: readonly Check[] = [
  silent("silent.array", "§4.3", "Which name the array of transactions has", "transactions", async ({ service }) => {
    const listed = await list(service);
    const form = isShort(listed) ? "short" : "full";
    const own = form === "short" ? "data" : "transactions";
    const profile: Profile = { response_form: form, ...(listed.arrayName !== own && { array_name: listed.arrayName }) };
    return does(listed.exchange, `${listed.arrayName}, in the ${form} form`, profile);
  }),
  silent("silent.unknown-id", "§4.2", "The status of an id that was never issued", "404", async ({ service }) => {
    const exchange = await service.ask({ path: "/status.php", json: { checkout_request_id: UNKNOWN_ID } });
    const refusal = refusalOf(exchange);
    return does(exchange, `${exchange.status}: ${messageOf(exchange)}`, refusal ? { unknown_id: refusal } : {});
  }),
  badParameter("silent.filter", "A `status` that does not exist", BAD_STATUS, "refused with 400", badFilter),
  badParameter("silent.page", "Page 0", "page=0", "refused with 400", inBounds("current_page", 1)),
  badParameter("silent.limit", "A `limit` of 101", "limit=101", "refused with 400", inBounds("per_page", 100)),
  badParameter("silent.past-end", "A page past the end", "page=99999999", "answered with 200: an empty page"),
  badParameter("silent.day", "A `date_from` that is not a day", "date_from=2026-02-30", "refused with 400", badFilter),
  badParameter("silent.days", "`date_from` after `date_to`", DAYS_REVERSED, "refused with 400"),
  badParameter("silent.no-record", "An `id` that does not exist", "id=999999999999999", "refused with 404"),
  badParameter("silent.parameter", "A parameter that does not exist", "momo_check=1", "answered with 200"),
  badParameter("silent.case", "A filter in capitals", CAPITALS, "answered with 200", async (exchange, service) => {
    if (!isTaken(exchange)) return { filter_case: "lower" };
    const { filters, items } = listIn(exchange);
    const hasFound = items.length > 0 || (await inState(service, "completed")).items.length === 0;
    return { filter_case: hasFound && "status" in (filters ?? {}) ? "any" : "lower" };
  }),
  silent("silent.order", "§4.3", "The order of the list", "newest first", async ({ service }) => {
    const { exchange, items } = await list(service);
    const ids = items.map(({ id }) => Number(id));
    if (ids.length < 2) throw new Skip("there are fewer than two transactions");
    const falls = ids.every((id, turn) => turn === 0 || id <= (ids[turn - 1] ?? 0));
    const rises = ids.every((id, turn) => turn === 0 || id >= (ids[turn - 1] ?? 0));
    return does(exchange, falls ? "newest first" : rises ? "oldest first" : "neither by id nor against it");
  }),
  silent("silent.phone", "§2.2", "How a phone is written in answers", "254 and nine digits", async ({ service }) => {
    const { phone } = await newest(service);
    const start = (["+254", "254", "0"] as const).find((one) => String(phone).startsWith(one));
    const { exchange } = await list(service);
    if (start === undefined) return does(exchange, "in another way than +254…, 254… or 0…");
    return does(exchange, start === "0" ? "0 and nine digits" : `${start} and nine digits`, { phone: start });
  }),
  silent("silent.fee", "§2.2", "How the fee is computed", "1%", async (checking) => {
    const payments = (await samples(checking))
      .filter(({ amount, fee_amount }) => typeof amount === "number" && typeof fee_amount === "number")
      .map(({ amount, fee_amount }) => ({ amount: cents(amount) as AmountCents, fee: cents(fee_amount) }));
    if (payments.length === 0) throw new Skip("no answer has a fee");
    const tariff = tariffOf(payments);
    if (!tariff) return does(null, "not as a share and a fixed part");
    return does(null, formatTariff(tariff), { fee: formatTariff(tariff) });
  }),
  silent("silent.results", "§2.2", "The texts of the results", "those of the network", async (checking) => {
    const results: Record<string, string> = {};
    const known: Readonly<Record<string, string>> = RESULT_CODES;
    let count = 0;
    for (const { result_code, result_desc } of await samples(checking)) {
      if (!Number.isInteger(result_code) || typeof result_desc !== "string" || result_desc === "") continue;
      count += 1;
      if (known[String(result_code)] !== result_desc) results[String(result_code)] = result_desc;
    }
    if (count === 0) throw new Skip("no transaction has a result");
    const others = Object.entries(results);
    if (others.length === 0) return does(null, "those of the network");
    const imitated = others.filter(([code]) => /^[0-9]{1,6}$/.test(code)).slice(0, 50);
    const words = others.map(([code, text]) => `${code}: ${text}`).join("; ");
    const isTooMuch = imitated.length < others.length;
    return { ...does(null, words, { results: Object.fromEntries(imitated) }), isTooMuch };
  }),
  silent("silent.zone", "§2.2", "The zone of timestamps", "Nairobi", async (checking) => {
    const status = await firstStatus(checking);
    const at = String(status.json?.created_at);
    for (const [timestamps, offsetMs, words] of [
      ["nairobi", NAIROBI_OFFSET_MS, "Nairobi"],
      ["utc", 0, "UTC"],
    ] as const) {
      const apartMs =
        Date.parse(`${at.replace(" ", "T")}Z`) -
        Date.parse(`${formatTimestamp(status.atMs, offsetMs).replace(" ", "T")}Z`);
      if (Math.abs(apartMs) < 30 * 60_000) return does(status, words, { timestamps });
    }
    return does(status, `another: ${at} at ${formatTimestamp(status.atMs)} in Nairobi`);
  }),
  silent("silent.account", "§4.1", `A payment for ${ANOTHERS_ACCOUNT}`, "refused with 400", async (checking) => {
    const exchange = await push(checking, { ...orderOf(paymentOf(checking)), payment_account_id: 999_999_999 });
    const refusal = refusalOf(exchange);
    return does(exchange, `${exchange.status}: ${messageOf(exchange)}`, refusal ? { invalid_account: refusal } : {});
  }),
  silent("silent.text", "§4.1", "An account id as text", "refused with 400", async (checking) => {
    const order = orderOf(paymentOf(checking));
    const exchange = await push(checking, { ...order, payment_account_id: String(order.payment_account_id) });
    return does(exchange, isTaken(exchange) ? "accepted" : `refused with ${exchange.status}`, {
      accept: isTaken(exchange) ? "lenient" : "strict",
    });
  }),
  silent("silent.final", "§3", "Whether a final state changes", "never", async (checking) => {
    const { first, then } = await afterFinal(checking);
    const [before, after] = [first.json?.status, then.json?.status];
    return does(then, before === after ? "never" : `${shown(before)} became ${shown(after)}`);
  }),
];
