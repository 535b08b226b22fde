import { batch, computed, type Signal } from "@preact/signals";
import * as arrivals from "./arrivals.ts";
import { ask, beginAnew, type Part, partOf, quietly } from "./asking.ts";
import { isFiltered, queryOf } from "./logic/filters.ts";
import { isNewer, mergeNewestFirst } from "./logic/merge.ts";
import * as state from "./state.ts";
import { isLoopback, monotonicMs } from "./system.ts";
import type * as wire from "./wire.ts";

/** The parts of the state that the server has: the question for each, and where its answer goes. */

const server = partOf<wire.ServerFacts>({
  question: () => "/server",
  take(facts) {
    // Another machine does not have the data directory.
    state.server.value = isLoopback() ? facts : { ...facts, data: null };
  },
});

/** A list that the answer has under its own name. */
function listOf<Name extends string, Row>(
  name: Name,
  target: Signal<readonly Row[]>,
  question: () => string = () => `/${name}`,
): Part {
  return partOf<Record<Name, readonly Row[]>>({
    question,
    take(answer) {
      target.value = answer[name];
    },
  });
}

const outcomes = listOf("outcomes", state.outcomes);
const merchants = listOf("merchants", state.merchants);
const accounts = listOf("accounts", state.accounts, () => `/accounts?merchant_id=${state.merchantId.value}`);
const keys = listOf("keys", state.keys, () => `/keys?merchant_id=${state.merchantId.value}`);
const rules = listOf("rules", state.rules);
const faults = listOf("faults", state.faults);
const snapshots = listOf("snapshots", state.snapshots);

const clock = partOf<wire.ClockReading>({
  question: () => "/clock",
  take(reading) {
    state.clock.value = { ...reading, takenAtMs: monotonicMs() };
  },
});

const fallback = partOf<wire.Default>({
  question: () => "/default",
  take(fallback) {
    state.fallback.value = fallback;
  },
});

/** Deliveries come with the oldest first. */
const webhook = partOf<{ webhook: wire.Webhook | null; deliveries: wire.Delivery[] }>({
  question: () => `/webhook?limit=${state.MOST_DELIVERIES}`,
  take({ webhook, deliveries }) {
    state.webhook.value = webhook;
    state.deliveries.value = deliveries.reverse();
  },
});

/** The parts that each change of the steering, also by another client, asks for again. */
export const steered: Readonly<Record<Exclude<wire.SteeringPart, "reset" | "restore">, readonly Part[]>> = {
  rules: [rules],
  faults: [faults],
  clock: [clock],
  default: [fallback],
  webhook: [webhook],
  snapshots: [snapshots],
  registry: [merchants, accounts, keys],
};

/** What selects the rows on the server. */
const selected = computed(() => {
  const query = queryOf(state.filters.value);
  query.set("merchant_id", String(state.merchantId.value ?? 1));
  return query.toString();
});

/** The path of all rows that the filters select, as CSV. */
export const exportPath = computed(() => `/transactions.csv?${selected.value}`);

const pathOfPage = (page: number) => `/transactions?${selected.value}&page=${page}&limit=${state.PAGE_SIZE}`;

/** The newest rows that the filters select, and their totals. */
export const rows = partOf<wire.TransactionList>({
  question: () => pathOfPage(1),
  take: (list) => showRows(list, null),
  refuse: (problem) => showRows(null, problem),
  clear() {
    state.isListCurrent.value = false;
  },
  pauseMs: () => 400,
  settleMs: 180,
});

function showRows(list: wire.TransactionList | null, problem: wire.Refusal | null): void {
  const newest = arrivals.remember(list?.transactions ?? []);
  batch(() => {
    state.totalItems.value = list?.pagination.total_items ?? null;
    state.counts.value = list?.every_status ?? null;
    if (state.isListCurrent.value) state.payments.newest.value = newest;
    else state.payments.replace(newest);
    state.isListCurrent.value = true;
    state.filterProblem.value = problem;
  });
}

/** Loads the rows below the list, as many as a page has. Payments that arrive push them to later pages; those that end may leave it. */
export async function loadMore(): Promise<void> {
  const { rows, waiting } = state.payments;
  const wanted = Math.min(rows.value.length + state.PAGE_SIZE, state.MOST_ROWS);
  let page = Math.max(1, Math.ceil((rows.value.length + waiting.value.length) / state.PAGE_SIZE));
  for (let isTooFar = true; ; ) {
    const list = await ask<wire.TransactionList>(() => pathOfPage(page));
    const last = rows.value.at(-1);
    if (!list || !last) return;
    const older = arrivals.remember(list.transactions).filter((row) => isNewer(last, row));
    isTooFar &&= page > 1 && older.length === list.transactions.length;
    if (isTooFar) {
      page -= 1;
      continue;
    }
    rows.value = [...rows.value, ...older].slice(0, wanted);
    if (list.transactions.length < state.PAGE_SIZE || rows.value.length >= wanted) return;
    page += 1;
  }
}

/** The last payment, which the filters may hide. */
export const newest = partOf<wire.TransactionList>({
  question: () => (state.view.value === "start" ? `/transactions?merchant_id=${state.merchantId.value}&limit=1` : null),
  take({ transactions: [payment = null] }) {
    state.newestPayment.value = payment;
  },
  clear() {
    state.newestPayment.value = null;
  },
  pauseMs: () => 400,
});

/** The story of the open payment. */
export const story = partOf<wire.Story>({
  question: () =>
    state.openPayment.value === null ? null : `/transactions/${encodeURIComponent(state.openPayment.value)}`,
  take(story) {
    state.story.value = story;
    state.storyProblem.value = null;
    state.payments.change(arrivals.remember([story.transaction]));
  },
  refuse({ status, message }) {
    state.story.value = null;
    state.storyProblem.value =
      status === 404 ? "This payment is not here. A reset or a restore may have removed it." : message;
  },
  clear() {
    state.story.value = null;
    state.storyProblem.value = null;
  },
  pauseMs: () => 400,
});

/** The findings. Those about missing requests are in no event. */
export const findings = partOf<wire.Audit>({
  question: () => "/audit",
  take({ message, chapters, findings }) {
    batch(() => {
      state.auditSummary.value = message;
      state.auditChapters.value = chapters;
      state.findings.value = findings;
    });
  },
  clear() {
    state.findings.value = [];
  },
  // A thousand findings are loaded every five seconds.
  pauseMs: () => Math.max(500, state.findings.value.length * 5),
});

/** All open prompts: at most 1,000, the oldest first. */
export const prompts = partOf<{ total: number; prompts: wire.Prompt[] }>({
  question: () => "/prompts",
  take({ total, prompts }) {
    // A prompt of the shown phone stays until the event of its end says how it ended. A hidden tab has no events.
    const hasEvents = state.connection.value === "live";
    const shown = hasEvents ? (state.promptsByPhone.value.get(state.shownPhone.value) ?? []) : [];
    const open = [...shown, ...prompts].filter((one) => !arrivals.endedSincePrompts.has(one.checkout_request_id));
    arrivals.endedSincePrompts.clear();
    state.promptsLeftOut.value = total - prompts.length;
    state.prompts.value = new Map(open.map((prompt) => [prompt.checkout_request_id, prompt]));
  },
  clear() {
    state.prompts.value = new Map();
  },
  // A thousand are loaded each second: a prompt that ends after 3 s must be seen, too.
  pauseMs: () => Math.max(300, state.prompts.value.size),
});

/** The text messages of the phone on the handset. */
export const messages = partOf<{ messages: wire.Message[] }>({
  question: () => `/messages?phone=${state.shownPhone.value}`,
  take({ messages }) {
    state.messages.value = messages;
  },
  clear() {
    state.messages.value = [];
  },
});

const REQUESTS_AT_ONCE = 200;

/** The log of requests comes in pages, the newest first; after that, events are enough. */
async function loadRequests(): Promise<void> {
  for (let before = ""; ; ) {
    const page = await ask<wire.RequestPage>(() => `/requests?limit=${REQUESTS_AT_ONCE}${before}`);
    if (!page) return;
    addRequests(page.requests);
    if (page.next === null) return;
    before = `&before=${page.requests[0]?.id}`;
  }
}

export function addRequests(arrived: readonly wire.LoggedRequest[]): void {
  const { newest } = state.requests;
  newest.value = mergeNewestFirst(newest.peek(), arrived, state.MOST_REQUESTS);
}

const LOADED_TOGETHER: readonly Part[] = [
  outcomes,
  accounts,
  keys,
  rules,
  faults,
  clock,
  fallback,
  webhook,
  snapshots,
  rows,
  newest,
  story,
  findings,
  prompts,
  messages,
];

/**
 * Loads everything: at the start, and when events were missed.
 * @returns false if another load has begun meanwhile
 */
export async function loadAll(): Promise<boolean> {
  const isLast = beginAnew();
  state.isLoaded.value = false;
  arrivals.forgetAll();
  await quietly(async () => {
    await server.load();
    // Their choice selects the rows.
    await merchants.load();
    if (!isLast()) return;
    await Promise.all([...LOADED_TOGETHER.map(({ load }) => load()), loadRequests()]);
    if (!isLast()) return;
    state.isFirstRun.value = state.totalItems.value === 0 && !isFiltered(state.filters.value);
    state.isLoaded.value = true;
  });
  return isLast();
}
