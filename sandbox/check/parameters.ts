import { STATUSES } from "../../src/domain/transaction.ts";
import { isWithoutBody, type Profile } from "../../src/http/profile.ts";
import type { Json } from "./bounded.ts";
import { type Check, list, listIn, NO_RECORD, newest, recorded } from "./check-run.ts";
import type { Behaviour } from "./fact.ts";
import { transactionsOf } from "./members.ts";
import { accepted, isTaken, refusalOf, refused, type Silent, silent } from "./recorded.ts";
import type { Exchange, Service } from "./service.ts";

/** What a service does with parameters of the list that are unusual or wrong. */

const ignored: Behaviour = { kind: "ignored" };
const emptyPage: Behaviour = { kind: "empty_page" };

/** What momo does with a parameter that it refuses. */
const momoRefuses = ({ bad_filter }: Profile): Behaviour =>
  refused(typeof bad_filter === "object" ? bad_filter.status : 400);

/** What momo does with a filter whose value is not known. */
function momoFilters(profile: Profile): Behaviour {
  const { bad_filter = profile.accept === "lenient" ? "ignored" : null } = profile;
  if (bad_filter === "ignored") return ignored;
  return bad_filter === "empty" ? emptyPage : momoRefuses(profile);
}

const momoClamps = ({ page_bounds, accept }: Profile): boolean =>
  page_bounds === "clamped" || (page_bounds === undefined && accept === "lenient");

interface Parameter extends Pick<Silent, "id" | "sentence" | "momo"> {
  readonly query: string;
  /** What was done, if the list was answered. By default, a list with transactions has ignored the parameter. */
  readonly behaviour?: (exchange: Exchange) => Behaviour;
  readonly profile?: (exchange: Exchange, service: Service) => Profile | Promise<Profile>;
}

const ignoredOrEmpty = (exchange: Exchange): Behaviour => (listIn(exchange).items.length === 0 ? emptyPage : ignored);
const acceptedOrEmpty = (exchange: Exchange): Behaviour => (listIn(exchange).items.length === 0 ? emptyPage : accepted);

/** The request of a list with one unusual parameter. */
const badParameter = ({ id, sentence, momo, query, behaviour = ignoredOrEmpty, profile }: Parameter): Check =>
  silent({ id, section: "§4.3", sentence, momo }, async ({ service }) => {
    const exchange = await service.ask({ path: `/transactions.php?${query}` });
    const found = (await profile?.(exchange, service)) ?? {};
    if (!isTaken(exchange)) return recorded(exchange, refused(exchange.status), found);
    const fact = behaviour(exchange);
    // Without transactions, each list is empty.
    if (Object.keys(found).length === 0) await newest(service);
    return recorded(exchange, fact, found);
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
    if (isTaken(exchange)) await transactionsOf(service, ["completed"]);
    return { filter_case: "lower", ...(await badFilter(exchange, service)) };
  }
  const others = STATUSES.filter((status) => status !== "completed");
  await transactionsOf(service, others);
  return { filter_case: "any" };
}

/** A word in capitals that selects as the word does was accepted. */
function capitals(exchange: Exchange): Behaviour {
  const { items } = listIn(exchange);
  if (items.length === 0) return emptyPage;
  return items.every(({ status }) => status === "completed") ? accepted : ignored;
}

const numberOrNull = (value: unknown): number | null => (typeof value === "number" ? value : null);

const pageIn = (exchange: Exchange): Behaviour => ({
  kind: "page",
  number: numberOrNull(listIn(exchange).pagination.current_page),
});

const limitIn = (exchange: Exchange): Behaviour => ({
  kind: "limit",
  limit: numberOrNull(listIn(exchange).pagination.per_page),
});

/** A page or a limit out of its range is refused, or becomes the nearest one. */
const inBounds =
  (name: string, nearest: number) =>
  (exchange: Exchange): Profile => {
    if (!isTaken(exchange)) return { page_bounds: "refused" };
    return listIn(exchange).pagination[name] === nearest ? { page_bounds: "clamped" } : {};
  };

const BAD_STATUS = "status=momo-check";
/** A word of a filter in capitals. */
const CAPITALS = "status=COMPLETED";
const DAYS_REVERSED = "date_from=2026-02-02&date_to=2026-02-01";
const NO_DAY = "date_from=2026-02-30";

export const PARAMETER_CHECKS: readonly Check[] = [
  badParameter({
    id: "silent.filter",
    sentence: "A `status` that does not exist",
    query: BAD_STATUS,
    momo: momoFilters,
    profile: badFilter,
  }),
  badParameter({
    id: "silent.page",
    sentence: "Page 0",
    query: "page=0",
    momo: (profile) => (momoClamps(profile) ? { kind: "page", number: 1 } : momoRefuses(profile)),
    behaviour: pageIn,
    profile: inBounds("current_page", 1),
  }),
  badParameter({
    id: "silent.limit",
    sentence: "A `limit` of 101",
    query: "limit=101",
    momo: (profile) => (momoClamps(profile) ? { kind: "limit", limit: 100 } : momoRefuses(profile)),
    behaviour: limitIn,
    profile: inBounds("per_page", 100),
  }),
  badParameter({
    id: "silent.past-end",
    sentence: "A page past the end",
    query: "page=99999999",
    momo: () => emptyPage,
  }),
  badParameter({
    id: "silent.day",
    sentence: "A `date_from` that is not a day",
    query: NO_DAY,
    momo: momoFilters,
    profile: badFilter,
  }),
  badParameter({
    id: "silent.days",
    sentence: "`date_from` after `date_to`",
    query: DAYS_REVERSED,
    momo: momoRefuses,
  }),
  badParameter({
    id: "silent.no-record",
    sentence: "An `id` that does not exist",
    query: `id=${NO_RECORD}`,
    momo: () => refused(404),
  }),
  badParameter({
    id: "silent.parameter",
    sentence: "A parameter that does not exist",
    query: "momo_check=1",
    momo: () => accepted,
    behaviour: acceptedOrEmpty,
  }),
  badParameter({
    id: "silent.case",
    sentence: "A filter in capitals",
    query: CAPITALS,
    momo: (profile) => (profile.filter_case === "lower" ? momoFilters(profile) : accepted),
    behaviour: capitals,
    profile: filterCase,
  }),
];
