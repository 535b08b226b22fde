import { type Day, formatDay, parseDay } from "../../src/domain/timestamp.ts";
import { STATUSES } from "../../src/domain/transaction.ts";
import { isObject, type Json } from "./bounded.ts";
import {
  type Check,
  check,
  holds,
  judge,
  list,
  listById,
  listIn,
  must,
  NO_RECORD,
  NO_TRANSACTIONS,
  newest,
  type Seen,
  shown,
  statusAsk,
  type Test,
  wrong,
} from "./facts.ts";
import { lists, MEMBER_CHECKS, MINIMAL_STATUS } from "./members.ts";
import { type Ask, NEEDS_PAYMENT, type Service, Skip, UNKNOWN_ID } from "./service.ts";

/** The sentences of the specification that reading can check. */

const PUSH = "/stkpush.php";
const LIST = "/transactions.php";
const STATUS = "/status.php";
/** What the list and the status of a payment have in common. */
const COMPARED = [...MINIMAL_STATUS, "checkout_request_id"];

/** What was seen, if the account has so many transactions: with fewer, it shows nothing. @throws Skip */
async function whereSome(service: Service, seen: Seen, least = 1): Promise<Seen> {
  await newest(service);
  if ((await list(service)).items.length < least) throw new Skip(FEWER_THAN_TWO);
  return seen;
}

/** Whether a list has only transactions that fit. A refusal has none. */
async function hasOnly(service: Service, query: string, fits: (item: Json) => boolean): Promise<Seen> {
  const exchange = await service.ask({ path: `${LIST}${query}` });
  const isRefused = exchange.status >= 400 && exchange.status < 500;
  const other = isRefused ? undefined : listIn(exchange).items.find((item) => !fits(item));
  return judge(exchange, !other, "the list has a transaction that does not fit", other);
}

/**
 * Whether a filter selects the transactions that fit: it must find one, and with another value leave it out.
 * @throws Skip if a service that finds nothing would look the same
 */
async function judgeFilter(
  service: Service,
  [query, other]: readonly [query: string, other: string],
  fits: (item: Json) => boolean,
): Promise<Seen> {
  const seen = await hasOnly(service, query, fits);
  if (seen.wrong) return seen;
  const { exchange, items: some } = await list(service, query);
  if (some.length === 0) {
    const known = (await lists(service)).flatMap(({ items }) => items);
    const lost = known.find(fits);
    if (!lost) throw new Skip(known.length === 0 ? NO_TRANSACTIONS : "the account has no such transaction");
    // A pending payment may have ended between the two lists.
    const isThere = (item: Json) => item.id === lost.id && fits(item);
    if (!listIn(await service.again({ path: LIST })).items.some(isThere)) throw new Skip(CHANGED);
    return wrong(exchange, `the list is empty, but transaction ${shown(lost.id)} fits`);
  }
  return hasOnly(service, other, (item) => !fits(item));
}

const FEWER_THAN_TWO = "there are fewer than two transactions";
const CHANGED = "the list has changed while it was read";

/** Without `kind`, as in the short form of the list, the label says what it is. */
const isApi = ({ kind, type }: Json) => (kind ?? String(type).toLowerCase()) === "api";

const dayOf = (item: Json): string => {
  if (typeof item.created_at !== "string") throw new Skip("the list shows no created_at");
  return item.created_at.slice(0, 10);
};

/** Whether a service whose timestamps are in UTC, and whose days are Nairobi's, counts the transaction to the next day. */
const isLate = ({ created_at }: Json): boolean => String(created_at).slice(11, 13) >= "21";

const is = (number: number): Test => [`${number}`, (value) => Number(value) === number];

/** A page of a list: it has no more transactions than its limit. */
const pageOf = (id: string, section: string, sentence: string, query: string, size: number): Check =>
  check(id, section, sentence, async ({ service }) => {
    const { exchange, pagination, items: some } = await list(service, query);
    const words = query === "" ? "a page without a limit" : `a page with limit ${size}`;
    if (some.length > size) return wrong(exchange, `${words} has ${some.length} transactions`);
    const seen = must(exchange, "per_page", pagination.per_page, is(size), { pagination });
    return seen.wrong ? seen : whereSome(service, seen, 2);
  });

/** A request that must be refused. @param other another status, with which a service may refuse it for another reason first */
const refusal = (id: string, section: string, status: number, what: string, ask: Ask, other?: number): Check =>
  check(id, section, `${what} is answered with ${status}`, async ({ service, payment }) => {
    // Elsewhere the check only reads, unless a payment is asked for.
    if (ask.json && ask.path === PUSH && service.options.isCareful && !payment) throw new Skip(NEEDS_PAYMENT);
    const exchange = await service.ask(ask);
    if (exchange.status === other) throw new Skip(`it is refused with ${other} for another reason first`);
    return judge(exchange, exchange.status === status, `it was answered with ${exchange.status}, not with ${status}`);
  });

export const STATED_CHECKS: readonly Check[] = [
  check(
    "list.answer",
    "§4.3",
    `The list is answered with 200, \`success\` true and an array of transactions`,
    async ({ service }) => {
      const exchange = await service.ask({ path: LIST });
      const { status, json } = exchange;
      const hasArray = Array.isArray(json?.transactions) || Array.isArray(json?.data);
      const array = `${hasArray ? "with" : "without"} an array`;
      const why = `it was answered with ${status}, success ${shown(json?.success)}, ${array}`;
      return judge(exchange, status === 200 && json?.success === true && hasArray, why);
    },
  ),
  ...MEMBER_CHECKS,
  check("status.same", "§4.2", "The status of a payment is the one that the list shows", async ({ service }) => {
    const { items: finals } = await list(service, "?status=completed");
    // Not the newest one: a service may answer that for each id.
    const item = finals.at(-1) ?? (await newest(service));
    if (item.status === "pending") throw new Skip("a pending payment may change between two requests");
    const exchange = await service.again(statusAsk(item, "the list shows no checkout_request_id"));
    const names = COMPARED.filter((name) => item[name] !== undefined && exchange.json?.[name] !== undefined);
    if (names.length === 0) throw new Skip("the status and the list have no member in common");
    const other = names.find((name) => exchange.json?.[name] !== item[name]);
    if (other === undefined) return holds(exchange);
    const [there, here] = [shown(exchange.json?.[other]), shown(item[other])];
    return wrong(exchange, `\`${other}\` is ${there} there, and ${here} in the list`);
  }),
  check("list.page", "§4.3", "The default page is 1", async ({ service }) => {
    const { exchange, pagination } = await list(service);
    return must(exchange, "current_page", pagination.current_page, is(1), { pagination });
  }),
  pageOf("list.limit", "§8", "The default page size is 10", "", 10),
  pageOf("list.limit-one", "§4.3", "`limit` is the number of items on a page", "?limit=1", 1),
  pageOf("list.limit-most", "§8", "`limit` can be 100", "?limit=100", 100),
  check(
    "list.full-page",
    "§4.3",
    `A page has as many transactions as its limit, if there are so many`,
    async ({ service }) => {
      for (const query of ["", "?limit=1", "?limit=100"]) {
        const { pagination, items: some, exchange } = await list(service, query);
        const { total_items, per_page } = pagination;
        if (some.length !== Math.min(Number(total_items), Number(per_page))) {
          const page = `the first page of ${shown(per_page)}`;
          return wrong(exchange, `${some.length} of ${shown(total_items)} are on ${page}`, { pagination });
        }
      }
      return whereSome(service, holds(null));
    },
  ),
  check(
    "list.total-pages",
    "§2.3",
    `\`total_pages\` is the number of pages that hold \`total_items\``,
    async ({ service }) => {
      for (const { exchange, pagination } of [await list(service), await list(service, "?limit=1")]) {
        const { total_items, per_page, total_pages } = pagination;
        const pages = Math.ceil(Number(total_items) / Number(per_page));
        // Without items, one empty page is a page as well.
        if (Number(total_pages) === pages || (pages === 0 && total_pages === 1)) continue;
        const items = `${shown(total_items)} items, ${shown(per_page)} on a page`;
        return wrong(exchange, `it is ${shown(total_pages)} for ${items}`, { pagination });
      }
      return whereSome(service, holds(null));
    },
  ),
  check("list.next-page", "§4.3", "Another page has other transactions", async ({ service }) => {
    const [first, second] = [await list(service, "?limit=1"), await list(service, "?page=2&limit=1")];
    const [one, other] = [first.items[0], second.items[0]];
    if (!one || Number(first.pagination.total_items) <= first.items.length) throw new Skip("there is only one page");
    if (first.pagination.total_items !== second.pagination.total_items) throw new Skip("a payment came in between");
    const { current_page } = second.pagination;
    if (current_page !== 2) {
      const why = `\`current_page\` of page 2 is ${shown(current_page)}`;
      return wrong(second.exchange, why, { pagination: second.pagination });
    }
    const isAnother = other !== undefined && other.id !== one.id;
    return judge(second.exchange, isAnother, `page 2 begins with ${shown(other?.id)}, page 1 with ${shown(one.id)}`);
  }),
  ...STATUSES.map((state, turn) =>
    check(`list.status-${state}`, "§4.3", `The filter \`status\` selects by status: ${state}`, ({ service }) =>
      judgeFilter(
        service,
        [`?status=${state}`, `?status=${STATUSES[turn + 1] ?? STATUSES[0]}`],
        (item) => item.status === state,
      ),
    ),
  ),
  check("list.by-type", "§4.3", "The filter `type` selects by type: api", ({ service }) =>
    judgeFilter(service, ["?type=api", "?type=web"], isApi),
  ),
  check("list.dates", "§4.3", "`date_from` and `date_to` bound the days of the list", async ({ service }) => {
    const one = await newest(service);
    const day = dayOf(one);
    const number = parseDay(day);
    if (number === null) throw new Skip("the list shows no day in created_at");
    const ofDay = (asked: string) => `?date_from=${asked}&date_to=${asked}`;
    const dayAfter = (days: number) => formatDay((number + days) as Day);
    const [before, next, later] = [dayAfter(-1), dayAfter(1), dayAfter(2)];
    const isOfDay = (item: Json) => dayOf(item) === day || (isLate(item) && dayOf(item) === before);
    // All of the first page may be of one day, so that it does not show whether the dates are obeyed.
    for (const seen of [
      await hasOnly(service, ofDay(day), isOfDay),
      await hasOnly(service, `?date_to=${before}`, (item) => dayOf(item) <= before),
      await hasOnly(service, `?date_from=${later}`, (item) => dayOf(item) >= later),
    ])
      if (seen.wrong) return seen;
    const { exchange, items: some } = await list(service, ofDay(day));
    const hasRows = some.length > 0 || (isLate(one) && (await list(service, ofDay(next))).items.length > 0);
    return judge(exchange, hasRows, `the list of ${day} is empty, but a transaction is of this day`);
  }),
  check("list.search", "§4.3", "`search` finds a phone number by its start", async ({ service }) => {
    const { phone } = await newest(service);
    if (typeof phone !== "string") throw new Skip("the list shows no phone");
    const query = `?search=${encodeURIComponent(phone.slice(0, 5).toWellFormed())}`;
    const { exchange, pagination, items: some } = await list(service, query);
    const hasRows = some.length > 0 && pagination.total_items !== 0;
    if (!hasRows) return wrong(exchange, "it finds no transaction, but there is one with such a phone");
    return hasOnly(service, "?search=qzxjvwkq", () => false);
  }),
  check("list.by-id", "§4.3", "`id` returns a single record", async ({ service }) => {
    const { id } = await newest(service);
    const { exchange, items: some } = await listById(service, id);
    const why = `it returns ${some.length} transactions, the first is ${shown(some[0]?.id)}`;
    if (some.length !== 1 || some[0]?.id !== id) return wrong(exchange, why);
    return hasOnly(service, `?id=${NO_RECORD}`, () => false);
  }),
  check("list.no-filters", "§2.4", "`filters_applied` is empty when no filter is given", async ({ service }) => {
    const { exchange, filters } = await list(service);
    const isEmpty = (value: unknown) => isObject(value) && Object.keys(value).length === 0;
    return must(exchange, "filters_applied", filters, ["an empty object", isEmpty], { filters_applied: filters });
  }),
  check("list.filters", "§4.3", "`filters_applied` is an object", async ({ service }) => {
    const { exchange } = await list(service, "?type=api");
    const { filters_applied } = exchange.json ?? {};
    return must(exchange, "filters_applied", filters_applied, ["an object", isObject], { filters_applied });
  }),
  check("summary.counts", "§2.4", "The summary counts what the filter `status` selects", async ({ service }) => {
    const { exchange, summary } = await list(service);
    if (summary === null) throw new Skip("the short form of the list has no summary");
    let compared = 0;
    for (const state of ["completed", "pending"]) {
      const { pagination, items: some } = await list(service, `?status=${state}`);
      if (some.some(({ status }) => status !== state)) continue;
      const name = `${state}_count`;
      if (!Number.isInteger(summary[name])) continue;
      compared += 1;
      if (summary[name] === pagination.total_items) continue;
      // Payments may have started or ended between the two requests.
      const later = listIn(await service.again({ path: LIST })).summary;
      if (later?.[name] === pagination.total_items) continue;
      if (later?.[name] !== summary[name]) throw new Skip(CHANGED);
      const why = `\`${name}\` is ${summary[name]}, and status=${state} selects ${pagination.total_items}`;
      return wrong(exchange, why, { summary });
    }
    if (compared === 0) throw new Skip("the list does not select by status");
    return whereSome(service, holds(exchange));
  }),
  refusal("auth.stranger-list", "§5", 401, "A list with invalid credentials", { path: LIST, as: "stranger" }),
  refusal("auth.nobody-list", "§5", 401, "A list without credentials", { path: LIST, as: "nobody" }),
  refusal("auth.stranger-status", "§5", 401, "A status with invalid credentials", {
    path: STATUS,
    json: { checkout_request_id: UNKNOWN_ID },
    as: "stranger",
  }),
  // Its body is empty, so that nothing is paid.
  refusal("auth.nobody-push", "§5", 401, "A payment without credentials", { path: PUSH, json: {}, as: "nobody" }, 400),
  refusal("method.status", "§7", 405, "`GET /status.php`", { path: STATUS, method: "GET" }),
  refusal("method.push", "§7", 405, "`GET /stkpush.php`", { path: PUSH, method: "GET" }),
  refusal("method.list", "§7", 405, "`POST /transactions.php`", { path: LIST, json: {} }),
  refusal("path.unknown", "§7", 404, "A path that does not exist", { path: "/no-such-operation.php" }),
  refusal("bad.no-id", "§7", 400, "A status without `checkout_request_id`", { path: STATUS, json: {} }),
  refusal("bad.id-type", "§7", 400, "A status whose `checkout_request_id` is a number", {
    path: STATUS,
    json: { checkout_request_id: 5 },
  }),
  refusal("bad.no-json", "§7", 400, "A status whose body is not JSON", { path: STATUS, body: "{" }),
  // It cannot reach a phone: it has none.
  refusal("bad.empty-push", "§7", 400, "A payment without any member", { path: PUSH, json: {} }),
];
