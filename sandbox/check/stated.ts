import { type Day, formatDay, parseDay } from "../../src/domain/timestamp.ts";
import { STATUSES } from "../../src/domain/transaction.ts";
import { isObject, type Json } from "./bounded.ts";
import {
  type Check,
  check,
  holds,
  inState,
  judge,
  list,
  listById,
  listIn,
  must,
  newest,
  shown,
  statusAsk,
  wrong,
} from "./facts.ts";
import { MEMBER_CHECKS, MINIMAL_STATUS } from "./members.ts";
import { type Ask, NEEDS_PAYMENT, Skip, UNKNOWN_ID } from "./service.ts";

/** The sentences of the specification that reading can check. */

const PUSH = "/stkpush.php";
const LIST = "/transactions.php";
const STATUS = "/status.php";

/** A list whose rows must all fit. */
const filterRow = (id: string, sentence: string, query: string, fits: (item: Json) => boolean): Check =>
  check(id, "§4.3", sentence, async ({ service }) => {
    const { exchange, items: some } = await list(service, query);
    const other = some.find((item) => !fits(item));
    return judge(exchange, !other, `the list has transaction ${shown(other?.id)}, which does not fit`, other);
  });

const dayOf = (item: Json): string => {
  if (typeof item.created_at !== "string") throw new Skip("the list shows no created_at");
  return item.created_at.slice(0, 10);
};

/** Whether a service whose timestamps are in UTC, and whose days are Nairobi's, counts the transaction to the next day. */
const isLate = ({ created_at }: Json): boolean => String(created_at).slice(11, 13) >= "21";

/** A page of a list: it has no more transactions than its limit. */
const pageOf = (id: string, section: string, sentence: string, query: string, size: number): Check =>
  check(id, section, sentence, async ({ service }) => {
    const { exchange, pagination, items: some } = await list(service, query);
    const words = query === "" ? "a page without a limit" : `a page with limit ${size}`;
    if (some.length > size) return wrong(exchange, `${words} has ${some.length} transactions`);
    return must(exchange, "per_page", pagination.per_page, [`${size}`, (value) => Number(value) === size], {
      pagination,
    });
  });

/** A request that must be refused. @param or another status that is right as well */
const refusal = (id: string, section: string, status: number, what: string, ask: Ask, or = status): Check =>
  check(id, section, `${what} is answered with ${status}`, async ({ service, payment }) => {
    // Elsewhere the check only reads, unless a payment is asked for.
    if (ask.json && ask.path === PUSH && service.isCareful && !payment) throw new Skip(NEEDS_PAYMENT);
    const exchange = await service.ask(ask);
    const isRefused = exchange.status === status || exchange.status === or;
    return judge(exchange, isRefused, `it was answered with ${exchange.status}, not with ${status}`);
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
    const { items: finals } = await inState(service, "completed");
    const item = finals[0] ?? (await newest(service));
    if (item.status === "pending") throw new Skip("a pending payment may change between two requests");
    const exchange = await service.again(statusAsk(item, "the list shows no checkout_request_id"));
    const names = MINIMAL_STATUS.filter((name) => item[name] !== undefined && exchange.json?.[name] !== undefined);
    const other = names.find((name) => exchange.json?.[name] !== item[name]);
    if (other === undefined) return holds(exchange);
    const [there, here] = [shown(exchange.json?.[other]), shown(item[other])];
    return wrong(exchange, `\`${other}\` is ${there} there, and ${here} in the list`);
  }),
  check("list.page", "§4.3", "The default page is 1", async ({ service }) => {
    const { exchange, pagination } = await list(service);
    return must(exchange, "current_page", pagination.current_page, ["1", (value) => Number(value) === 1], {
      pagination,
    });
  }),
  pageOf("list.limit", "§8", "The default page size is 10", "", 10),
  pageOf("list.limit-one", "§4.3", "`limit` is the number of items on a page", "?limit=1", 1),
  pageOf("list.limit-most", "§8", "`limit` can be 100", "?limit=100", 100),
  check(
    "list.full-page",
    "§4.3",
    `A page has as many transactions as its limit, if there are so many`,
    async ({ service }) => {
      for (const { pagination, items: some, exchange } of [await list(service), await list(service, "?limit=1")]) {
        const { total_items, per_page } = pagination;
        if (some.length !== Math.min(Number(total_items), Number(per_page))) {
          const page = `the first page of ${shown(per_page)}`;
          return wrong(exchange, `${some.length} of ${shown(total_items)} are on ${page}`, { pagination });
        }
      }
      return holds(null);
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
      return holds(null);
    },
  ),
  check("list.next-page", "§4.3", "Another page has other transactions", async ({ service }) => {
    const [first, second] = [await list(service, "?limit=1"), await list(service, "?page=2&limit=1")];
    const [one, other] = [first.items[0], second.items[0]];
    if (!one || first.pagination.total_items === 1) throw new Skip("there are fewer than two transactions");
    if (first.pagination.total_items !== second.pagination.total_items) throw new Skip("a payment came in between");
    const { current_page } = second.pagination;
    if (current_page !== 2) {
      const why = `\`current_page\` of page 2 is ${shown(current_page)}`;
      return wrong(second.exchange, why, { pagination: second.pagination });
    }
    const isAnother = other !== undefined && other.id !== one.id;
    return judge(second.exchange, isAnother, `page 2 begins with ${shown(other?.id)}, page 1 with ${shown(one.id)}`);
  }),
  ...STATUSES.map((state) =>
    filterRow(
      `list.status-${state}`,
      `The filter \`status\` selects by status: ${state}`,
      `?status=${state}`,
      (item) => item.status === state,
    ),
  ),
  filterRow(
    "list.by-type",
    "The filter `type` selects by type: api",
    "?type=api",
    ({ kind = "api", type = "API" }) => kind === "api" && type === "API",
  ),
  check("list.dates", "§4.3", "`date_from` and `date_to` bound the days of the list", async ({ service }) => {
    const one = await newest(service);
    const day = dayOf(one);
    const number = parseDay(day);
    if (number === null) throw new Skip("the list shows no day in created_at");
    const ofDay = (asked: string) => list(service, `?date_from=${asked}&date_to=${asked}`);
    const { exchange, items: some } = await ofDay(day);
    const [before, next] = [formatDay((number - 1) as Day), formatDay((number + 1) as Day)];
    const other = some.find((item) => dayOf(item) !== day && !(isLate(item) && dayOf(item) === before));
    if (other) return wrong(exchange, `a transaction of ${dayOf(other)} is in the list of ${day}`, other);
    // All of the first page may be of one day, whether or not the dates are obeyed.
    const until = await list(service, `?date_to=${before}`);
    const later = until.items.find((item) => dayOf(item) > before);
    if (later) return wrong(until.exchange, `a transaction of ${dayOf(later)} is in the list until ${before}`, later);
    const hasRows = some.length > 0 || (isLate(one) && (await ofDay(next)).items.length > 0);
    return judge(exchange, hasRows, `the list of ${day} is empty, but a transaction is of this day`);
  }),
  check("list.search", "§4.3", "`search` finds a phone number by its start", async ({ service }) => {
    const { phone } = await newest(service);
    if (typeof phone !== "string") throw new Skip("the list shows no phone");
    const query = `?search=${encodeURIComponent(phone.slice(0, 5).toWellFormed())}`;
    const { exchange, pagination, items: some } = await list(service, query);
    const hasRows = some.length > 0 && pagination.total_items !== 0;
    return judge(exchange, hasRows, "it finds no transaction, but there is one with such a phone");
  }),
  check("list.by-id", "§4.3", "`id` returns a single record", async ({ service }) => {
    const { id } = await newest(service);
    const { exchange, items: some } = await listById(service, id);
    const why = `it returns ${some.length} transactions, the first is ${shown(some[0]?.id)}`;
    return judge(exchange, some.length === 1 && some[0]?.id === id, why);
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
    for (const state of ["completed", "pending"]) {
      const { pagination, items: some } = await list(service, `?status=${state}`);
      if (some.some(({ status }) => status !== state)) continue;
      const name = `${state}_count`;
      if (!Number.isInteger(summary[name]) || summary[name] === pagination.total_items) continue;
      // Payments may have started or ended between the two requests.
      const later = listIn(await service.again({ path: LIST })).summary;
      if (later?.[name] === pagination.total_items) continue;
      if (later?.[name] !== summary[name]) throw new Skip("the list has changed while it was read");
      const why = `\`${name}\` is ${summary[name]}, and status=${state} selects ${pagination.total_items}`;
      return wrong(exchange, why, { summary });
    }
    return holds(exchange);
  }),
  refusal("auth.stranger-list", "§5", 401, "A list with invalid credentials", { path: LIST, as: "stranger" }),
  refusal("auth.nobody-list", "§5", 401, "A list without credentials", { path: LIST, as: "nobody" }),
  refusal("auth.stranger-status", "§5", 401, "A status with invalid credentials", {
    path: STATUS,
    json: { checkout_request_id: UNKNOWN_ID },
    as: "stranger",
  }),
  // Its body is empty, so that nothing is paid; a service may refuse that first.
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
