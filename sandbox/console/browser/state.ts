import { computed, signal } from "@preact/signals";
import { aheadInWords } from "../../../src/domain/duration.ts";
import { LiveList } from "./live-list.ts";
import { NO_CALL_FILTERS } from "./logic/calls.ts";
import { type Filters, givenOf, NO_FILTERS } from "./logic/filters.ts";
import { findingsByCall, findingsByPayment } from "./logic/findings.ts";
import { dayAt } from "./logic/format.ts";
import { type ClockAt, type EndNote, sandboxNowMs } from "./logic/phone.ts";
import { parseRoute, type Route, type View } from "./logic/route.ts";
import { unusual } from "./logic/steering.ts";
import { machineMs, monotonicMs, tabMemory } from "./system.ts";
import type * as wire from "./wire.ts";

/**
 * The state of the page. Views read it, and change it through `actions.ts`. `loading.ts`, `arrivals.ts`, `phones.ts` and
 * `sync.ts` update it from the server.
 */

/** How many payments are shown at first, and more at each click. */
export const PAGE_SIZE = 50;
/** How many payments are shown at most: filters reach the others. */
export const MOST_ROWS = 500;
export const MOST_REQUESTS = 1000;

export type Connection = "connecting" | "live" | "lost";

export const connection = signal<Connection>("connecting");
/** Whether everything was loaded once. After that, events are enough. */
export const isLoaded = signal(false);

/** The control token, if the server requires one. It is in no address, and is removed when the tab is closed. */
export const token = signal<string | null>(tabMemory.read("token"));
export const tokenAsked = signal<{ readonly isWrong: boolean } | null>(null);

/** The view, what is open in it, and its filters. */
export const route = signal<Route>(parseRoute(location.hash));
/** Whether there was no payment when the page was opened. */
export const isFirstRun = signal(false);
export const view = computed<View>(() => route.value.view ?? (isFirstRun.value ? "start" : "transactions"));

let lastQueries: Readonly<Partial<Record<View, Route["query"]>>> = {};
/** The filters of each view. The open view has those of the address; the others keep their last ones. */
export const queries = computed(() => {
  lastQueries = { ...lastQueries, [view.value]: route.value.query };
  return lastQueries;
});

export const server = signal<wire.ServerFacts | null>(null);
export const outcomes = signal<readonly wire.Outcome[]>([]);

/** A counter that makes views with a time draw again. */
export const tick = signal(0);

export const clock = signal<ClockAt | null>(null);
/** The sandbox's time; null until it is known. */
export const sandboxNow = computed<number | null>(() => {
  tick.value;
  return clock.value && sandboxNowMs(clock.value, monotonicMs());
});

/** How far it is from the time of the machine, in words. */
export const clockAhead = computed(() => {
  tick.value; // also while the sandbox's clock is frozen
  return sandboxNow.value === null ? "" : aheadInWords(sandboxNow.value - machineMs());
});

/** The sandbox's day in Nairobi. Rows use it instead of the time, so that they are drawn again only once a day. */
export const today = computed(() => (sandboxNow.value === null ? null : dayAt(sandboxNow.value)));

export const merchants = signal<readonly wire.Merchant[]>([]);

// Transactions: the newest of those that the filters select, without gaps.
/** Their merchant: the one in the address, or the first. */
export const merchantId = computed<number | null>(() => {
  const asked = merchants.value.find(({ id }) => String(id) === route.value.query.merchant);
  return asked?.id ?? server.value?.default_merchant_id ?? null;
});
export const filters = computed<Filters>(() => givenOf(NO_FILTERS, queries.value.transactions ?? {}));
/** Whether rows and counts are those of the merchant and the filters. If not, a load is running. */
export const isListCurrent = signal(false);
export const filterProblem = signal<wire.Refusal | null>(null);
export const payments = new LiveList<wire.Transaction>();
/** Whether the lists stand still until the person resumes them. */
export const isPaused = signal(false);
/** How many payments the filters select on the server; null until it is known. */
export const totalItems = signal<number | null>(null);
/** The counts over all filters except the status. */
export const counts = signal<wire.Counts | null>(null);

/** The last payment of the merchant, whatever the filters select. */
export const newestPayment = signal<wire.Transaction | null>(null);

export const openPayment = computed(() => (view.value === "transactions" ? route.value.selected : null));
export const story = signal<wire.Story | null>(null);
export const storyProblem = signal<string | null>(null);

/** The newest requests to the merchant API. */
export const requests = new LiveList<wire.LoggedRequest>();
export const callFilters = computed(() => givenOf(NO_CALL_FILTERS, view.value === "requests" ? route.value.query : {}));
export const openCall = computed(() =>
  view.value === "requests" && route.value.selected !== null ? Number(route.value.selected) : null,
);

/** What clients have done, in one line of the audit. */
export const auditSummary = signal("");
export const findings = signal<readonly wire.Finding[]>([]);
/** How many parts the audit has: a reset or a restore begins another one, and the findings stay. */
export const auditChapters = signal(1);
/** With a seed, a reset begins the ids again: those in a finding from before are of other payments and requests now. */
export const areIdsReused = computed(() => auditChapters.value > 1 && (server.value?.seed ?? null) !== null);
/** The findings whose ids are those of the payments and requests on the page. */
const findingsHere = computed(() => (areIdsReused.value ? [] : findings.value));
export const callFindings = computed(() => findingsByCall(findingsHere.value));
/** Read the log only when findings change: reading all of it for each request is slow. */
export const paymentFindings = computed(() => {
  isLoaded.value;
  return findingsByPayment(findingsHere.value, requests.newest.peek());
});

// Phones.
export const prompts = signal<ReadonlyMap<string, wire.Prompt>>(new Map());
/** How many more are open: the server lists 1,000. */
export const promptsLeftOut = signal(0);
/** Those of the phone on the handset, newest first. */
export const messages = signal<readonly wire.Message[]>([]);
/** The phone that the person picked, or whose prompt has just ended: it stays on the handset, so that the end can be read. */
export const pickedPhone = signal<string | null>(null);
export const endNote = signal<EndNote | null>(null);

export const promptsByPhone = computed(() => Map.groupBy(prompts.value.values(), ({ phone }) => phone));

/** The number that is shown before the first payment. */
const FIRST_PHONE = "254712345678";
let lastShown: string | null = null;
/** The phone on the handset: the picked one, the shown one while it rings, the first one that rings, or the shown one. */
export const shownPhone = computed(() => {
  const ringing = promptsByPhone.value;
  const isRinging = lastShown !== null && ringing.has(lastShown);
  const [firstRinging] = ringing.keys();
  lastShown = pickedPhone.value ?? (isRinging ? lastShown : (firstRinging ?? lastShown));
  return lastShown ?? payments.rows.value[0]?.phone ?? FIRST_PHONE;
});

const MOST_CHIPS = 2;
/** The other phones that ring. */
export const phoneChips = computed(() =>
  [...promptsByPhone.value.keys()].filter((phone) => phone !== shownPhone.value).slice(0, MOST_CHIPS),
);

/** The phones of the open prompts and of the listed payments. */
export const knownPhones = computed(() => [
  ...new Set([...promptsByPhone.value.keys(), ...payments.rows.value.map(({ phone }) => phone)]),
]);

// Steering and registry.
export const rules = signal<readonly wire.Rule[]>([]);
export const faults = signal<readonly wire.Fault[]>([]);
export const fallback = signal<wire.Default | null>(null);
/** Null if there is none. */
export const webhook = signal<wire.Webhook | null>(null);
/** The newest first. */
export const deliveries = signal<readonly wire.Delivery[]>([]);
export const MOST_DELIVERIES = 50;
export const snapshots = signal<readonly wire.Snapshot[]>([]);
export const accounts = signal<readonly wire.Account[]>([]);
export const keys = signal<readonly wire.Key[]>([]);

/** Settings that differ from those of the start. */
export const unusualParts = computed(() =>
  unusual({
    rules: rules.value,
    faults: faults.value,
    fallback: fallback.value,
    clock: clock.value,
    server: server.value,
    webhook: webhook.value?.url ?? null,
  }),
);

export type Dialog = "pay" | "help" | "clock";
export const dialog = signal<Dialog | null>(null);
