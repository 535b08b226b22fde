import { type AmountCents, DEFAULT_TARIFF, feeCents, formatTariff } from "../../src/domain/money.ts";
import { textOfCode } from "../../src/domain/outcome.ts";
import { DAY_MS } from "../../src/domain/timestamp.ts";
import type { Profile } from "../../src/http/profile.ts";
import { type Check, isShort, list, newest, received, recorded } from "./check-run.ts";
import type { Behaviour } from "./fact.ts";
import { cents, tariffOf } from "./fee.ts";
import { FULL_STATUS, NOT_IN_SHORT_LIST, transactions } from "./members.ts";
import { PARAMETER_CHECKS } from "./parameters.ts";
import { afterFinal, firstStatus, pushOther } from "./payment.ts";
import { accepted, answered, isTaken, refusalOf, refused, type Silent, silent } from "./recorded.ts";
import { type Exchange, Skip, UNKNOWN_ID } from "./service.ts";

/** What a service does where the specification is silent: recorded, never a failure. */

/** The form of an answer to a payment or a status; null for any other answer. */
function formOf({ sent, status, json }: Exchange): Profile["response_form"] | null {
  const [path, onlyFull] =
    sent.path === "/stkpush.php" ? [sent.path, ["transaction_id"]] : ["/status.php", FULL_STATUS];
  if (sent.path !== path || status !== 200 || json?.success !== true) return null;
  return onlyFull.some((name) => name in json) ? "full" : "short";
}

/** The zone in which a timestamp is this instant, to half an hour; null if it cannot be read. */
function offsetMinutesOf(timestamp: unknown, atMs: number): number | null {
  const writtenMs = Date.parse(`${String(timestamp).replace(" ", "T")}Z`);
  const minutes = Math.round((writtenMs - atMs) / HALF_HOUR_MS) * 30;
  return Number.isNaN(minutes) || Math.abs(minutes) * 60_000 > DAY_MS ? null : minutes;
}

const HALF_HOUR_MS = 30 * 60_000;

const ARRAY: Silent = {
  id: "silent.array",
  section: "§4.3",
  sentence: "Which name the array of transactions has",
  momo: ({ array_name, response_form: form = "full" }) => ({
    kind: "array",
    name: array_name ?? (form === "full" ? "transactions" : "data"),
    form,
    isMixed: false,
    otherForm: null,
  }),
};

export const SILENT_CHECKS: readonly Check[] = [
  silent(ARRAY, async ({ service }) => {
    const listed = await list(service);
    const form = isShort(listed) ? "short" : "full";
    const own = form === "short" ? "data" : "transactions";
    const hasMore = listed.summary !== null || NOT_IN_SHORT_LIST.some((name) => name in (listed.items[0] ?? {}));
    const other = service.exchanges.find((exchange) => ![null, form].includes(formOf(exchange) ?? null));
    const fact: Behaviour = {
      kind: "array",
      name: listed.arrayName,
      form,
      isMixed: form === "short" && hasMore,
      otherForm: other?.sent.path ?? null,
    };
    return recorded(listed.exchange, fact, {
      response_form: form,
      ...(listed.arrayName !== own && { array_name: listed.arrayName }),
    });
  }),
  silent(
    {
      id: "silent.unknown-id",
      section: "§4.2",
      sentence: "The status of an id that was never issued",
      momo: ({ unknown_id }) => refused(unknown_id?.status ?? 404),
    },
    async ({ service }) => {
      const exchange = await service.ask({ path: "/status.php", json: { checkout_request_id: UNKNOWN_ID } });
      const refusal = refusalOf(exchange);
      return recorded(exchange, answered(exchange), refusal ? { unknown_id: refusal } : {});
    },
  ),
  ...PARAMETER_CHECKS,
  silent(
    {
      id: "silent.order",
      section: "§4.3",
      sentence: "The order of the list",
      momo: () => ({ kind: "order", order: "newest_first" }),
    },
    async ({ service }) => {
      const { exchange, items } = await list(service);
      const ids = items.map(({ id }) => Number(id));
      if (ids.length < 2) throw new Skip({ kind: "one_transaction" });
      const falls = ids.every((id, turn) => turn === 0 || id <= (ids[turn - 1] ?? 0));
      const rises = ids.every((id, turn) => turn === 0 || id >= (ids[turn - 1] ?? 0));
      const order = falls ? "newest_first" : rises ? "oldest_first" : "neither";
      return recorded(exchange, { kind: "order", order });
    },
  ),
  silent(
    {
      id: "silent.phone",
      section: "§2.2",
      sentence: "How a phone is written in answers",
      momo: ({ phone = "254" }) => ({ kind: "phone", start: phone }),
    },
    async ({ service }) => {
      const { phone } = await newest(service);
      const start = (["+254", "254", "0"] as const).find((one) => String(phone).startsWith(one)) ?? null;
      const { exchange } = await list(service);
      return recorded(exchange, { kind: "phone", start }, start === null ? {} : { phone: start });
    },
  ),
  silent(
    {
      id: "silent.fee",
      section: "§2.2",
      sentence: "How the fee is computed",
      momo: ({ fee = "1%" }) => ({ kind: "fee", formula: fee }),
    },
    async ({ service }) => {
      const payments = (await transactions(service))
        .map(({ item }) => item)
        .filter(({ amount, fee_amount }) => typeof amount === "number" && typeof fee_amount === "number")
        .map(({ amount, fee_amount }) => ({ amount: cents(amount) as AmountCents, fee: cents(fee_amount) }));
      if (payments.length === 0) throw new Skip({ kind: "not_shown", member: "fee_amount" });
      const [one] = payments;
      if (
        one &&
        one.fee !== feeCents(DEFAULT_TARIFF, one.amount) &&
        payments.every(({ amount }) => amount === one.amount)
      ) {
        return recorded(null, { kind: "one_fee", amount: one.amount, fee: one.fee });
      }
      const tariff = tariffOf(payments);
      if (!tariff) return recorded(null, { kind: "fee", formula: null });
      const formula = formatTariff(tariff);
      return recorded(null, { kind: "fee", formula }, { fee: formula });
    },
  ),
  silent(
    {
      id: "silent.results",
      section: "§2.2",
      sentence: "The texts of the results",
      momo: ({ results = {} }) => ({ kind: "results", others: Object.entries(results), isMixed: false }),
    },
    async ({ service }) => {
      const texts = new Map<string, Set<string>>();
      for (const { item } of await transactions(service)) {
        const { result_code, result_desc } = item;
        if (!Number.isInteger(result_code) || typeof result_desc !== "string" || result_desc === "") continue;
        const ofCode = texts.get(String(result_code)) ?? new Set();
        texts.set(String(result_code), ofCode.add(result_desc));
      }
      if (texts.size === 0) throw new Skip({ kind: "not_shown", member: "result_desc" });
      const others = [...texts]
        .flatMap(([code, ofCode]) => [...ofCode].map((text) => [code, text] as const))
        .filter(([code, text]) => textOfCode(Number(code)) !== text)
        .toSorted(([one], [other]) => Number(one) - Number(other));
      const isMixed = [...texts.values()].some(({ size }) => size > 1);
      const results = others.filter(([code]) => /^[0-9]{1,6}$/.test(code)).slice(0, 50);
      const profile = results.length === 0 ? {} : { results: Object.fromEntries(results) };
      return recorded(null, { kind: "results", others, isMixed }, profile);
    },
  ),
  silent(
    {
      id: "silent.zone",
      section: "§2.2",
      sentence: "The zone of timestamps",
      momo: ({ timestamps }) => ({ kind: "zone", offsetMinutes: timestamps === "utc" ? 0 : 180 }),
    },
    async (checkRun) => {
      const status = await firstStatus(checkRun);
      const offsetMinutes = offsetMinutesOf(status.json?.created_at, status.atMs);
      const fact: Behaviour = { kind: "zone", offsetMinutes };
      if (offsetMinutes === 180) return recorded(status, fact, { timestamps: "nairobi" });
      return recorded(status, fact, offsetMinutes === 0 ? { timestamps: "utc" } : {});
    },
  ),
  silent(
    {
      id: "silent.account",
      section: "§4.1",
      sentence: "A payment for an account that is not the merchant's",
      momo: ({ invalid_account }) => refused(invalid_account?.status ?? 400),
    },
    async (checkRun) => {
      const exchange = await pushOther(checkRun, { payment_account_id: 999_999_999 });
      const refusal = refusalOf(exchange);
      return recorded(exchange, answered(exchange), refusal ? { invalid_account: refusal } : {});
    },
  ),
  silent(
    {
      id: "silent.text",
      section: "§4.1",
      sentence: "An account id as text",
      momo: ({ accept }) => (accept === "lenient" ? accepted : refused(400)),
    },
    async (checkRun) => {
      const exchange = await pushOther(checkRun, { payment_account_id: String(checkRun.payment?.accountId) });
      return recorded(exchange, answered(exchange), { accept: isTaken(exchange) ? "lenient" : "strict" });
    },
  ),
  silent(
    {
      id: "silent.final",
      section: "§3",
      sentence: "Whether a final state changes",
      momo: () => ({ kind: "final", changes: null }),
    },
    async (checkRun) => {
      const { first, then } = await afterFinal(checkRun);
      const { status: from } = first.json ?? {};
      const { status: to } = then.json ?? {};
      const changes = from === to ? null : { from: received(from), to: received(to) };
      return recorded(then, { kind: "final", changes });
    },
  ),
];
