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
/** How often the newest rows were asked for: only the last answer counts. */
let rowLoads = 0;

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
    await Promise.all([...Object.values(others).map((load) => load()), loadHistory(), loadFindings()]);
    state.isFirstRun.value = state.totalItems.value === 0 && !isFiltered(state.filters.value);
    state.isLoaded.value = true;
  });
}

/** Another machine does not have the data directory. */
const seenFromHere = (facts: wire.ServerFacts): wire.ServerFacts => (isLoopback() ? facts : { ...facts, data: null });

async function loadHistory(): Promise<void> {
  await Promise.all([loadPrompts(), loadRows(), loadRequests()]);
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

/** Loads one part of the steering, also when another client has changed it. */
export const reload: Readonly<Record<Exclude<wire.SteeringPart, "reset" | "restore">, () => Promise<void>>> = {
  async rules() {
    state.rules.value = (await api.get<{ rules: wire.Rule[] }>("/rules")).rules;
  },
  async faults() {
    state.faults.value = (await api.get<{ faults: wire.Fault[] }>("/faults")).faults;
  },
  async clock() {
    state.clock.value = { ...(await api.get<wire.ClockReading>("/clock")), takenAtMs: monotonicMs() };
  },
  async default() {
    state.fallback.value = await api.get("/default");
  },
  async webhook() {
    const path = `/webhook?limit=${state.MOST_DELIVERIES}`;
    const answer = await api.get<{ webhook: wire.Webhook | null; deliveries: wire.Delivery[] }>(path);
    state.webhook.value = answer.webhook;
    state.deliveries.value = answer.deliveries.reverse();
  },
  async registry() {
    state.merchants.value = (await api.get<{ merchants: wire.Merchant[] }>("/merchants")).merchants;
    const ofMerchant = `?merchant_id=${state.merchantId.value}`;
    const { accounts } = await api.get<{ accounts: wire.Account[] }>(`/accounts${ofMerchant}`);
    const { keys } = await api.get<{ keys: wire.Key[] }>(`/keys${ofMerchant}`);
    state.accounts.value = accounts;
    state.keys.value = keys;
  },
};

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
  arrivals.remember(list.transactions);
  return list;
}

/** Loads the newest rows that the filters select, and their totals. */
async function loadRows(): Promise<void> {
  rowLoads += 1;
  const mine = rowLoads;
  const asked = state.selection.value;
  let list: wire.TransactionList | null = null;
  let problem: Refused | null = null;
  try {
    list = await loadPage(1);
  } catch (error) {
    if (!(error instanceof Refused) || error.status === null || error.status === 401) throw error;
    problem = error;
  }
  if (mine !== rowLoads || state.selection.value !== asked || !(list || problem)) return;
  const rows = list?.transactions ?? [];
  batch(() => {
    if (list) {
      state.totalItems.value = list.pagination.total_items;
      state.counts.value = list.every_status;
    }
    if (state.isListCurrent.value) state.payments.newest.value = rows;
    else state.payments.replace(rows);
    state.answeredSelection.value = asked;
    state.filterProblem.value = problem;
  });
}

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

async function loadFindings(): Promise<void> {
  const { message, findings } = await api.get<{ message: string; findings: wire.Finding[] }>("/audit");
  state.auditSummary.value = message;
  state.findings.value = findings;
}

/** Loads all open prompts: at most 1,000, the oldest first. */
export const refreshPrompts = throttled(
  () => Math.max(300, state.prompts.value.size * 5),
  () => quietly(() => loadPrompts(true)),
);

/** @param keepsKnown whether a known prompt that is not listed any more stays until the event of its end says how it ended */
export async function loadPrompts(keepsKnown = false): Promise<void> {
  const { total, prompts } = await api.get<{ total: number; prompts: wire.Prompt[] }>("/prompts");
  const all = keepsKnown ? [...state.prompts.value.values(), ...prompts] : prompts;
  const open = all.filter(({ checkout_request_id }) => !arrivals.hasEnded(checkout_request_id));
  state.promptsLeftOut.value = total - prompts.length;
  state.prompts.value = new Map(open.map((prompt) => [prompt.checkout_request_id, prompt]));
}

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
      try {
        const story = await api.get<wire.Story>(`/transactions/${encodeURIComponent(id)}`);
        if (state.openPayment.value !== id) return;
        state.story.value = story;
        state.storyProblem.value = null;
        state.payments.change([story.transaction]);
      } catch (error) {
        if (!(error instanceof Refused) || error.status === null) throw error;
        if (state.openPayment.value !== id) return;
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
