import { type Day, formatDay, parseDay } from "../../src/domain/timestamp.ts";
import { STATUSES } from "../../src/domain/transaction.ts";
import { isObject, type Json } from "./bounded.ts";
import {
  type Check,
  type CheckResult,
  check,
  expectMember,
  list,
  listById,
  listIn,
  NO_RECORD,
  newest,
  okIf,
  received,
  shapeCheck,
  violated,
} from "./check-run.ts";
import { lists } from "./members.ts";
import { type Service, Skip } from "./service.ts";

/** The filters of the list. */

const LIST = "/transactions.php";

/** Whether a list has only transactions that fit. A refusal has none. */
async function hasOnly(service: Service, query: string, fits: (item: Json) => boolean): Promise<CheckResult> {
  const exchange = await service.ask({ path: `${LIST}${query}` });
  const isRefused = exchange.status >= 400 && exchange.status < 500;
  const other = isRefused ? undefined : listIn(exchange).items.find((item) => !fits(item));
  return okIf(!other, exchange, { kind: "other_row" }, other);
}

/**
 * Whether a filter selects the transactions that fit: it must find one, and with another value leave it out.
 * @throws Skip if a service that finds nothing would look the same
 */
async function judgeFilter(
  service: Service,
  queries: { readonly query: string; readonly other: string },
  fits: (item: Json) => boolean,
): Promise<CheckResult> {
  const { query, other } = queries;
  const result = await hasOnly(service, query, fits);
  if (result.fact) return result;
  const { exchange, items: some } = await list(service, query);
  if (some.length === 0) {
    const known = (await lists(service)).flatMap(({ items }) => items);
    const lost = known.find(fits);
    if (!lost) throw new Skip({ kind: known.length === 0 ? "no_transactions" : "no_such_transaction" });
    // A pending payment may have ended between the two lists.
    const isThere = (item: Json) => item.id === lost.id && fits(item);
    if (!listIn(await service.again({ path: LIST })).items.some(isThere)) throw new Skip({ kind: "may_change" });
    return violated(exchange, { kind: "lost_row", transaction: received(lost.id) });
  }
  return hasOnly(service, other, (item) => !fits(item));
}

/** Without `kind`, as in the short form of the list, the label says what it is. */
const isApi = ({ kind, type }: Json) => (kind ?? String(type).toLowerCase()) === "api";

const dayOf = (item: Json): string => {
  if (typeof item.created_at !== "string") throw new Skip({ kind: "not_shown", member: "created_at" });
  return item.created_at.slice(0, 10);
};

export const FILTER_CHECKS: readonly Check[] = [
  ...STATUSES.map((state, turn) =>
    check(`list.status-${state}`, "§4.3", `The filter \`status\` selects by status: ${state}`, ({ service }) =>
      judgeFilter(
        service,
        { query: `?status=${state}`, other: `?status=${STATUSES[turn + 1] ?? STATUSES[0]}` },
        (item) => item.status === state,
      ),
    ),
  ),
  check("list.by-type", "§4.3", "The filter `type` selects by type: api", ({ service }) =>
    judgeFilter(service, { query: "?type=api", other: "?type=web" }, isApi),
  ),
  check("list.dates", "§4.3", "`date_from` and `date_to` bound the days of the list", async ({ service }) => {
    const one = await newest(service);
    const day = dayOf(one);
    const number = parseDay(day);
    if (number === null) throw new Skip({ kind: "not_shown", member: "created_at" });
    const ofDay = (asked: string) => `?date_from=${asked}&date_to=${asked}`;
    const dayAfter = (days: number) => formatDay((number + days) as Day);
    const before = dayAfter(-1);
    const later = dayAfter(2);
    // All of the first page may be of one day, so that it does not show whether the dates are obeyed.
    for (const result of [
      await hasOnly(service, ofDay(day), (item) => dayOf(item) === day),
      await hasOnly(service, `?date_to=${before}`, (item) => dayOf(item) <= before),
      await hasOnly(service, `?date_from=${later}`, (item) => dayOf(item) >= later),
    ])
      if (result.fact) return result;
    const { exchange, items: some } = await list(service, ofDay(day));
    return okIf(some.length > 0, exchange, { kind: "lost_row", transaction: received(one.id) });
  }),
  check("list.search", "§4.3", "`search` finds a phone number by its start", async ({ service }) => {
    const { phone } = await newest(service);
    if (typeof phone !== "string") throw new Skip({ kind: "not_shown", member: "phone" });
    const query = `?search=${encodeURIComponent(phone.slice(0, 5).toWellFormed())}`;
    const { exchange, pagination, items: some } = await list(service, query);
    const hasRows = some.length > 0 && pagination.total_items !== 0;
    if (!hasRows) return violated(exchange, { kind: "finds_none" });
    return hasOnly(service, "?search=qzxjvwkq", () => false);
  }),
  check("list.by-id", "§4.3", "`id` returns a single record", async ({ service }) => {
    const { id } = await newest(service);
    const { exchange, items: some } = await listById(service, id);
    if (some.length !== 1 || some[0]?.id !== id)
      return violated(exchange, { kind: "found", rows: some.length, first: received(some[0]?.id) });
    return hasOnly(service, `?id=${NO_RECORD}`, () => false);
  }),
  shapeCheck("list.no-filters", "§2.4", "`filters_applied` is empty when no filter is given", async ({ service }) => {
    const { exchange, filters } = await list(service);
    const isEmpty = filters !== null && Object.keys(filters).length === 0;
    const { filters_applied } = exchange.json ?? {};
    return expectMember(exchange, "filters_applied", filters_applied, isEmpty, { filters_applied });
  }),
  shapeCheck("list.filters", "§4.3", "`filters_applied` is an object", async ({ service }) => {
    const { exchange } = await list(service, "?type=api");
    const { filters_applied } = exchange.json ?? {};
    return expectMember(exchange, "filters_applied", filters_applied, isObject(filters_applied), { filters_applied });
  }),
];
