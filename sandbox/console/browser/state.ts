import { computed, effect, signal } from "@preact/signals";
import { aheadInWords } from "../../../src/domain/duration.ts";
import { hasEnded, remember } from "./arrivals.ts";
import { connection, listOf, type Part, partOf } from "./asking.ts";
import { LiveList, mergeNewestFirst } from "./live-list.ts";
import { NO_CALL_FILTERS } from "./logic/calls.ts";
import { type Filters, givenOf, NO_FILTERS, queryOf } from "./logic/filters.ts";
import { findingsByCall, findingsByPayment } from "./logic/findings.ts";
import { dayAt } from "./logic/format.ts";
import { type ClockAt, type EndNote, sandboxNowMs } from "./logic/phone.ts";
import { parseRoute, type Route, type View } from "./logic/route.ts";
import { newestFirst, unusual } from "./logic/steering.ts";
import { isLoopback, machineMs, monotonicMs } from "./system.ts";
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

/** The view, what is open in it, and its filters. */
export const route = signal<Route>(parseRoute(location.hash));
/** Whether there was no payment when the page was opened. */
export const isFirstRun = signal(false);
export const view = computed<View>(() => route.value.view ?? (isFirstRun.value ? "start" : "transactions"));

export type Dialog = "pay" | "help" | "clock";
export const dialog = signal<Dialog | null>(null);

let lastQueries: Readonly<Partial<Record<View, Route["query"]>>> = {};
/** The filters of each view. The open view has those of the address; the others keep their last ones. */
export const queries = computed(() => {
  lastQueries = { ...lastQueries, [view.value]: route.value.query };
  return lastQueries;
});
export const filters = computed<Filters>(() => givenOf(NO_FILTERS, queries.value.transactions ?? {}));
export const callFilters = computed(() => givenOf(NO_CALL_FILTERS, view.value === "requests" ? route.value.query : {}));

export const openPayment = computed(() => (view.value === "transactions" ? route.value.selected : null));
export const openCall = computed(() =>
  view.value === "requests" && route.value.selected !== null ? Number(route.value.selected) : null,
);

export const server = partOf<wire.ServerFacts, wire.ServerFacts | null>({
  question: () => "/server",
  none: null,
  // Another machine does not have the data directory.
  read: (facts) => (isLoopback() ? facts : { ...facts, data: null }),
});
export const outcomes = listOf<wire.Outcome>("outcomes");

export const merchants = listOf<wire.Merchant>("merchants");
/** The one in the address, or the first. */
export const merchantId = computed<number | null>(() => {
  const asked = merchants.value.find(({ id }) => String(id) === route.value.query.merchant);
  return asked?.id ?? server.value?.default_merchant_id ?? null;
});
export const accounts = listOf<wire.Account>("accounts", () => `/accounts?merchant_id=${merchantId.value}`);
export const keys = listOf<wire.Key>("keys", () => `/keys?merchant_id=${merchantId.value}`);

/** A counter that makes views with a time draw again. */
export const tick = signal(0);

export const clock = partOf<wire.ClockReading, ClockAt | null>({
  question: () => "/clock",
  none: null,
  read: (reading) => ({ ...reading, takenAtMs: monotonicMs() }),
});
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

/** What selects the rows on the server. */
const selected = computed(() => {
  const query = queryOf(filters.value);
  query.set("merchant_id", String(merchantId.value ?? 1));
  return query.toString();
});

/** The path of all rows that the filters select, as CSV. */
export const exportPath = computed(() => `/transactions.csv?${selected.value}`);

export const pathOfPage = (page: number) => `/transactions?${selected.value}&page=${page}&limit=${PAGE_SIZE}`;

/** The newest payments that the filters select, and what is known of all of them. */
interface Listing {
  readonly newest: readonly wire.Transaction[];
  readonly isOther: boolean;
  readonly total: number | null;
  /** The counts over all filters except the status. */
  readonly counts: wire.Counts | null;
  readonly problem: wire.Refusal | null;
}

const NOTHING: Listing = { newest: [], isOther: true, total: null, counts: null, problem: null };

export const list = partOf<wire.TransactionList, Listing>({
  question: () => pathOfPage(1),
  none: NOTHING,
  read: ({ transactions, pagination, every_status }, isOther) => ({
    newest: remember(transactions),
    isOther,
    total: pagination.total_items,
    counts: every_status,
    problem: null,
  }),
  refused: (problem) => ({ ...NOTHING, problem }),
  settleMs: 180,
});

/** The payments that the filters select. */
export const payments = new LiveList(signal<readonly wire.Transaction[]>([]));
effect(() => {
  const { newest, isOther } = list.value;
  if (isOther) payments.replace(newest);
  else payments.newest.value = newest;
});
/** Whether the lists stand still until the person resumes them. */
export const isPaused = signal(false);

/** The last payment of the merchant and how many there are, whatever the filters select. */
interface Whole {
  readonly newest: wire.Transaction | null;
  readonly total: number;
}

const showsWhole = () => view.value === "start" || view.value === "steering" || dialog.value === "clock";

export const whole = partOf<wire.TransactionList, Whole>({
  question: () => (showsWhole() ? `/transactions?merchant_id=${merchantId.value}&limit=1` : null),
  none: { newest: null, total: 0 },
  read: ({ transactions: [newest = null], pagination }) => ({ newest, total: pagination.total_items }),
  clears: true,
});

/** The open payment, or why it cannot be shown. */
interface Told {
  readonly story: wire.Story | null;
  readonly problem: string | null;
}

export const told = partOf<wire.Story, Told>({
  question: () => (openPayment.value === null ? null : `/transactions/${encodeURIComponent(openPayment.value)}`),
  none: { story: null, problem: null },
  read: (story) => ({ story, problem: null }),
  refused: ({ status, message }) => ({
    story: null,
    problem: status === 404 ? "This payment is not here. A reset or a restore may have removed it." : message,
  }),
  clears: true,
});

/** The log: the newest requests to the merchant API. Events add to it. */
export const log = partOf<wire.RequestPage, readonly wire.LoggedRequest[]>({
  question: () => `/requests?limit=${MOST_REQUESTS}`,
  none: [],
  read: (page) => withRequests(page.requests),
});
export const requests = new LiveList(log);

export const withRequests = (arrived: readonly wire.LoggedRequest[]): readonly wire.LoggedRequest[] =>
  mergeNewestFirst(log.peek(), arrived, MOST_REQUESTS);

/** What clients have done wrong. Findings about missing requests are in no event. */
export const audit: Part<wire.Audit> = partOf<wire.Audit, wire.Audit>({
  question: () => "/audit",
  none: {
    requests: 0,
    accepted: 0,
    payments: { started: 0, paid: 0, not_learned: 0 },
    deliveries: { sent: 0, not_taken: 0 },
    chapters: 1,
    findings: [],
  },
  read: (report) => report,
  clears: true,
  // A thousand findings are loaded every five seconds.
  pauseMs: () => Math.max(500, audit.peek().findings.length * 5),
});
/** With a seed, a reset begins the ids again: those in a finding from before are of other payments and requests now. */
export const areIdsReused = computed(() => audit.value.chapters > 1 && (server.value?.seed ?? null) !== null);
/** The findings whose ids are those of the payments and requests on the page. */
const findingsHere = computed(() => (areIdsReused.value ? [] : audit.value.findings));
export const callFindings = computed(() => findingsByCall(findingsHere.value));
export const paymentFindings = computed(() => findingsByPayment(findingsHere.value));

// Phones.
/** The open prompts. The server lists 1,000, the oldest first. */
interface Prompts {
  readonly open: ReadonlyMap<string, wire.Prompt>;
  /** How many more are open. */
  readonly leftOut: number;
}

export const prompts: Part<Prompts> = partOf<{ total: number; prompts: readonly wire.Prompt[] }, Prompts>({
  question: () => "/prompts",
  none: { open: new Map(), leftOut: 0 },
  read({ total, prompts: listed }) {
    // A prompt of the shown phone stays until the event of its end says how it ended. A hidden tab has no events.
    const hasEvents = connection.peek() === "live";
    const shown = hasEvents ? (promptsByPhone.peek().get(shownPhone.peek()) ?? []) : [];
    const open = [...shown, ...listed].filter((one) => !hasEnded(one.checkout_request_id));
    return {
      open: new Map(open.map((prompt) => [prompt.checkout_request_id, prompt])),
      leftOut: total - listed.length,
    };
  },
  clears: true,
  // A thousand are loaded each second: a prompt that ends after 3 s must be seen, too.
  pauseMs: () => Math.max(300, prompts.peek().open.size),
});
export const promptsByPhone = computed(() => Map.groupBy(prompts.value.open.values(), ({ phone }) => phone));
/** The phone that the person picked, or whose prompt has just ended: it stays on the handset, so that the end can be read. */
export const pickedPhone = signal<string | null>(null);
export const endNote = signal<EndNote | null>(null);

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
/** The text messages of the phone on the handset, newest first. */
export const messages = partOf<{ messages: readonly wire.Message[] }, readonly wire.Message[]>({
  question: () => `/messages?phone=${shownPhone.value}`,
  none: [],
  read: (answer) => answer.messages,
  clears: true,
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

// Steering.
export const rules = listOf<wire.Rule>("rules");
export const faults = listOf<wire.Fault>("faults");
export const snapshots = listOf<wire.Snapshot>("snapshots");
export const fallback = partOf<wire.Default, wire.Default | null>({
  question: () => "/default",
  none: null,
  read: (inForce) => inForce,
});
export const MOST_DELIVERIES = 50;
export const webhook = partOf<wire.WebhookAnswer, wire.WebhookAnswer>({
  question: () => `/webhook?limit=${MOST_DELIVERIES}`,
  none: { webhook: null, deliveries: [] },
  read: ({ webhook: settings, deliveries }) => ({ webhook: settings, deliveries: newestFirst(deliveries) }),
});

/** Settings that differ from those of the start. */
export const unusualParts = computed(() =>
  unusual({
    rules: rules.value,
    faults: faults.value,
    fallback: fallback.value,
    clock: clock.value,
    server: server.value,
    webhook: webhook.value.webhook?.url ?? null,
  }),
);
