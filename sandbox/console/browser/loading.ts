import { batch, computed } from "@preact/signals";
import { api, Refused } from "./api.ts";
import * as arrivals from "./arrivals.ts";
import { isFiltered, queryOf } from "./logic/filters.ts";
import { isNewer, mergeNewestFirst } from "./logic/merge.ts";
import * as state from "./state.ts";
import { isLoopback, monotonicMs, throttled } from "./system.ts";
import type * as wire from "./wire.ts";

/** Loads the state from the server, at the start and again later. */

const REQUESTS_AT_ONCE = 200;

/** How often everything was loaded: an answer from before does not belong to it. */
let loads = 0;

/** Loads everything: at the start, and when events were missed. */
export async function loadAll(): Promise<void> {
  loads += 1;
  state.isLoaded.value = false;
  arrivals.forgetAll();
  await quietly(async () => {
    state.server.value = seenFromHere(await api.get<wire.ServerFacts>("/server"));
    const { registry, ...others } = reload;
    await registry();
    state.outcomes.value = (await api.get<{ outcomes: wire.Outcome[] }>("/outcomes")).outcomes;
    await Promise.all([...Object.values(others).map((load) => load()), loadHistory(), loadFindings(), loadSnapshots()]);
    state.isFirstRun.value = state.totalItems.value === 0 && !isFiltered(state.filters.value);
    state.isLoaded.value = true;
  });
}

/** Another machine does not have the data directory. */
const seenFromHere = (facts: wire.ServerFacts): wire.ServerFacts => (isLoopback() ? facts : { ...facts, data: null });

async function loadHistory(): Promise<void> {
  await Promise.all([loadPrompts(false), loadRows(), loadRequests()]);
  refreshMessages();
  if (state.openPayment.value !== null) refreshStory();
}

async function loadRequests(): Promise<void> {
  const mine = loads;
  for (let before = ""; ; ) {
    const { requests, next } = await api.get<wire.RequestPage>(`/requests?limit=${REQUESTS_AT_ONCE}${before}`);
    if (mine !== loads) return;
    addRequests(requests);
    if (next === null) return;
    before = `&before=${requests[0]?.id}`;
  }
}

export function addRequests(arrived: readonly wire.LoggedRequest[]): void {
  const { newest } = state.requests;
  newest.value = mergeNewestFirst(newest.peek(), arrived, state.MOST_REQUESTS);
}

/** A load of which only the last answer counts, and only until everything is loaded again: a late one would replace a newer one. */
function latest<Asked extends readonly unknown[], Answer>(
  ask: (...asked: Asked) => Promise<Answer>,
  take: (answer: Answer, ...asked: Asked) => void,
): (...asked: Asked) => Promise<void> {
  let calls = 0;
  return async (...asked) => {
    calls += 1;
    const mine = calls;
    const load = loads;
    const answer = await ask(...asked);
    if (mine === calls && load === loads) take(answer, ...asked);
  };
}

/** Reads one call of the API. */
const read = <Answer>(path: string, take: (answer: Answer) => void) => latest(() => api.get<Answer>(path), take);

const loadMerchants = read<{ merchants: wire.Merchant[] }>("/merchants", ({ merchants }) => {
  state.merchants.value = merchants;
});

const loadAccountsAndKeys = latest(
  async () => {
    const ofMerchant = `?merchant_id=${state.merchantId.value}`;
    const { accounts } = await api.get<{ accounts: wire.Account[] }>(`/accounts${ofMerchant}`);
    const { keys } = await api.get<{ keys: wire.Key[] }>(`/keys${ofMerchant}`);
    return { accounts, keys };
  },
  ({ accounts, keys }) => {
    state.accounts.value = accounts;
    state.keys.value = keys;
  },
);

/** Loads one part of the steering, also when another client has changed it. */
export const reload: Readonly<Record<Exclude<wire.SteeringPart, "reset" | "restore">, () => Promise<void>>> = {
  rules: read<{ rules: wire.Rule[] }>("/rules", ({ rules }) => {
    state.rules.value = rules;
  }),
  faults: read<{ faults: wire.Fault[] }>("/faults", ({ faults }) => {
    state.faults.value = faults;
  }),
  clock: read<wire.ClockReading>("/clock", (reading) => {
    state.clock.value = { ...reading, takenAtMs: monotonicMs() };
  }),
  default: read<wire.Default>("/default", (fallback) => {
    state.fallback.value = fallback;
  }),
  webhook: read<WebhookInForce>(`/webhook?limit=${state.MOST_DELIVERIES}`, ({ webhook, deliveries }) => {
    state.webhook.value = webhook;
    state.deliveries.value = deliveries.reverse();
  }),
  async registry() {
    await loadMerchants();
    await loadAccountsAndKeys();
  },
};

/** No event tells of a snapshot that was saved or removed. */
export const loadSnapshots = read<{ snapshots: wire.Snapshot[] }>("/snapshots", ({ snapshots }) => {
  state.snapshots.value = snapshots;
});

interface WebhookInForce {
  readonly webhook: wire.Webhook | null;
  /** The oldest first. */
  readonly deliveries: wire.Delivery[];
}

/** What selects the rows on the server. */
function selectedRows(): URLSearchParams {
  const query = queryOf(state.filters.value);
  query.set("merchant_id", String(state.merchantId.value ?? 1));
  return query;
}

/** The path of all rows that the filters select, as CSV. */
export const exportPath = computed(() => `/transactions.csv?${selectedRows()}`);

/** Loads a page of these rows; null if the list is another one when they come. */
async function loadPage(page: number): Promise<wire.TransactionList | null> {
  const asked = state.selection.value;
  const mine = loads;
  const list = await api.get<wire.TransactionList>(
    `/transactions?${selectedRows()}&page=${page}&limit=${state.PAGE_SIZE}`,
  );
  if (state.selection.value !== asked || mine !== loads) return null;
  return { ...list, transactions: arrivals.remember(list.transactions) };
}

/** Loads the newest rows that the filters select, and their totals. */
const loadRows = latest(
  async () => {
    const asked = state.selection.value;
    try {
      return { asked, list: await loadPage(1), problem: null };
    } catch (error) {
      if (!(error instanceof Refused) || error.status === null || error.status === 401) throw error;
      return { asked, list: null, problem: error };
    }
  },
  ({ asked, list, problem }) => {
    if (state.selection.value !== asked || !(list || problem)) return;
    const rows = list?.transactions ?? [];
    batch(() => {
      state.totalItems.value = list?.pagination.total_items ?? null;
      state.counts.value = list?.every_status ?? null;
      if (state.isListCurrent.value) state.payments.newest.value = rows;
      else state.payments.replace(rows);
      state.answeredSelection.value = asked;
      state.filterProblem.value = problem;
    });
  },
);

export const refreshRows = throttled(
  () => 400,
  () => quietly(loadRows),
);

/** Loads the rows below the list, as many as a page has. Payments that arrive push them to later pages; those that end may leave it. */
export async function loadMore(): Promise<void> {
  const { rows, waiting } = state.payments;
  const wanted = Math.min(rows.value.length + state.PAGE_SIZE, state.MOST_ROWS);
  let page = Math.max(1, Math.ceil((rows.value.length + waiting.value.length) / state.PAGE_SIZE));
  for (let isTooFar = true; ; ) {
    const list = await loadPage(page);
    const last = rows.value.at(-1);
    if (!list || !last) return;
    const older = list.transactions.filter((row) => isNewer(last, row));
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

/** Loads the last payment, which the filters may hide. */
export const refreshNewest = throttled(
  () => 400,
  () =>
    quietly(async () => {
      const list = await api.get<wire.TransactionList>(`/transactions?merchant_id=${state.merchantId.value}&limit=1`);
      state.newestPayment.value = list.transactions[0] ?? null;
    }),
);

/** Loads the findings. Those about missing requests are in no event. */
export const refreshFindings = throttled(
  // A thousand findings are loaded every five seconds.
  () => Math.max(500, state.findings.value.length * 5),
  () => quietly(loadFindings),
);

const loadFindings = read<wire.Audit>("/audit", ({ message, chapters, findings }) => {
  batch(() => {
    state.auditSummary.value = message;
    state.auditChapters.value = chapters;
    state.findings.value = findings;
  });
});

/** Loads all open prompts: at most 1,000, the oldest first. */
export const refreshPrompts = throttled(
  // A thousand are loaded each second: a prompt that ends after 3 s must be seen, too.
  () => Math.max(300, state.prompts.value.size),
  () => quietly(() => loadPrompts(true)),
);

/** @param keepsShown whether a prompt of the shown phone stays until the event of its end says how it ended */
export const loadPrompts = latest(
  (_keepsShown: boolean) => {
    arrivals.endedSinceAsked.clear();
    return api.get<{ total: number; prompts: wire.Prompt[] }>("/prompts");
  },
  ({ total, prompts }, keepsShown) => {
    const shown = keepsShown ? (state.promptsByPhone.value.get(state.shownPhone.value) ?? []) : [];
    const open = [...shown, ...prompts].filter((one) => !arrivals.endedSinceAsked.has(one.checkout_request_id));
    state.promptsLeftOut.value = total - prompts.length;
    state.prompts.value = new Map(open.map((prompt) => [prompt.checkout_request_id, prompt]));
  },
);

/** Loads the text messages of the phone on the handset. */
export const refreshMessages = throttled(
  () => 250,
  () =>
    quietly(async () => {
      const phone = state.shownPhone.value;
      const { messages } = await api.get<{ messages: wire.Message[] }>(`/messages?phone=${phone}`);
      if (state.shownPhone.value === phone) state.messages.value = messages;
    }),
);

export const refreshStory = throttled(
  () => 400,
  () =>
    quietly(async () => {
      const id = state.openPayment.value;
      if (id === null) return;
      const mine = loads;
      const isLate = () => state.openPayment.value !== id || mine !== loads;
      try {
        const story = await api.get<wire.Story>(`/transactions/${encodeURIComponent(id)}`);
        if (isLate()) return;
        state.story.value = story;
        state.storyProblem.value = null;
        state.payments.change(arrivals.remember([story.transaction]));
      } catch (error) {
        if (!(error instanceof Refused) || error.status === null) throw error;
        if (isLate()) return;
        state.story.value = null;
        state.storyProblem.value = error.message;
      }
    }),
);

/** Opens the story of a payment, or closes it. */
export function openStory(checkoutRequestId: string | null): void {
  if (state.story.peek()?.transaction.checkout_request_id === checkoutRequestId) return;
  state.story.value = null;
  state.storyProblem.value = null;
  if (checkoutRequestId !== null) refreshStory();
}

/** Ignores errors of calls that are optional or will be repeated. The stream reports a lost server. */
export async function quietly(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
}
