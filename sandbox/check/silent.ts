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
import { isWithoutBody, type Profile, type RefusalAnswer } from "../../src/http/profile.ts";
import type { Json } from "./bounded.ts";
import { type Check, check, isShort, list, listIn, NO_RECORD, newest, type Seen, shown } from "./facts.ts";
import { FULL_STATUS, NOT_IN_SHORT_LIST, transactions } from "./members.ts";
import { afterFinal, firstStatus, pushOther } from "./payment.ts";
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
    const found = await profile(exchange, service);
    if (!isTaken(exchange)) return does(exchange, `refused with ${exchange.status}: ${messageOf(exchange)}`, found);
    const { items, pagination } = listIn(exchange);
    // Without transactions, each list is empty.
    if (Object.keys(found).length === 0) await newest(service);
    const number = `page ${pagination.current_page}, at most ${pagination.per_page} transactions`;
    const page = items.length === 0 ? "an empty page" : `${number}; it has ${items.length}`;
    return does(exchange, `answered with 200: ${page}`, found);
  });

/** What becomes of a filter whose value is not known. */
async function badFilter(exchange: Exchange, service: Service): Promise<Profile> {
  const { status } = exchange;
  // A profile cannot have such a refusal.
  if (isWithoutBody(status)) return {};
  if (!isTaken(exchange)) return { bad_filter: refusalOf(exchange) ?? { status, message: "the filter is refused" } };
  if (listIn(exchange).items.length > 0) return { bad_filter: "ignored" };
  // Without transactions both give an empty page.
  return (await list(service)).items.length > 0 ? { bad_filter: "empty" } : {};
}

/** A word in capitals is either the word, or a value that is not known. */
async function filterCase(exchange: Exchange, service: Service): Promise<Profile> {
  const isCompleted = ({ status }: Json) => status === "completed";
  const found = isTaken(exchange) ? listIn(exchange).items : [];
  if (found.length === 0 || !found.every(isCompleted)) {
    if (isTaken(exchange)) await transactions(service, "completed payment", isCompleted);
    return { filter_case: "lower", ...(await badFilter(exchange, service)) };
  }
  await transactions(service, "payment that is not completed", (item) => !isCompleted(item));
  return { filter_case: "any" };
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

/** The form of an answer to a payment or a status; null for any other answer. */
function formOf({ sent, status, json }: Exchange): Profile["response_form"] | null {
  const [path, onlyFull] =
    sent.path === "/stkpush.php" ? [sent.path, ["transaction_id"]] : ["/status.php", FULL_STATUS];
  if (sent.path !== path || status !== 200 || json?.success !== true) return null;
  return onlyFull.some((name) => name in json) ? "full" : "short";
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
    const isMixed =
      form === "short" && (listed.summary ?? NOT_IN_SHORT_LIST.find((name) => name in (listed.items[0] ?? {})));
    const other = service.exchanges.find((exchange) => ![null, form].includes(formOf(exchange) ?? null));
    const words = [
      `${listed.arrayName}, in the ${form} form`,
      ...(isMixed ? ["with members of the full one"] : []),
      ...(other ? [`${other.sent.path} is in the other one`] : []),
    ];
    return { ...does(listed.exchange, words.join("; "), profile), isTooMuch: words.length > 1 };
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
  badParameter("silent.no-record", "An `id` that does not exist", `id=${NO_RECORD}`, "refused with 404"),
  badParameter("silent.parameter", "A parameter that does not exist", "momo_check=1", "answered with 200"),
  badParameter("silent.case", "A filter in capitals", CAPITALS, "answered with 200", filterCase),
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
  silent("silent.fee", "§2.2", "How the fee is computed", "1%", async ({ service }) => {
    const payments = (await transactions(service))
      .map(({ item }) => item)
      .filter(({ amount, fee_amount }) => typeof amount === "number" && typeof fee_amount === "number")
      .map(({ amount, fee_amount }) => ({ amount: cents(amount) as AmountCents, fee: cents(fee_amount) }));
    if (payments.length === 0) throw new Skip("no answer has a fee");
    const tariff = tariffOf(payments);
    if (!tariff) return does(null, "not as a share and a fixed part");
    return does(null, formatTariff(tariff), { fee: formatTariff(tariff) });
  }),
  silent("silent.results", "§2.2", "The texts of the results", "those of the network", async ({ service }) => {
    const known: Readonly<Record<string, string>> = RESULT_CODES;
    const found = new Map<string, readonly [code: string, text: string]>();
    for (const { item } of await transactions(service)) {
      const { result_code, result_desc } = item;
      if (!Number.isInteger(result_code) || typeof result_desc !== "string" || result_desc === "") continue;
      found.set(`${result_code}: ${result_desc}`, [String(result_code), result_desc]);
    }
    if (found.size === 0) throw new Skip("no transaction has a result");
    const others = [...found].filter(([, [code, text]]) => known[code] !== text);
    if (others.length === 0) return does(null, "those of the network");
    const results = others
      .map(([, result]) => result)
      .filter(([code]) => /^[0-9]{1,6}$/.test(code))
      .slice(0, 50);
    // A profile has one text for each code.
    const codes = new Set([...found.values()].map(([code]) => code));
    const isTooMuch = codes.size < found.size || results.length < others.length;
    const words = others.map(([line]) => line).join("; ");
    return { ...does(null, words, { results: Object.fromEntries(results) }), isTooMuch };
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
    const exchange = await pushOther(checking, { payment_account_id: 999_999_999 });
    const refusal = refusalOf(exchange);
    return does(exchange, `${exchange.status}: ${messageOf(exchange)}`, refusal ? { invalid_account: refusal } : {});
  }),
  silent("silent.text", "§4.1", "An account id as text", "refused with 400", async (checking) => {
    const exchange = await pushOther(checking, { payment_account_id: String(checking.payment?.accountId) });
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
