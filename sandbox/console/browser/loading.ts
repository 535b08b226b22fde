import { batch, computed } from "@preact/signals";
import { api, Refused } from "./api.ts";
import * as arrivals from "./arrivals.ts";
import { isHeld } from "./live-list.ts";
import { isFiltered, queryOf } from "./logic/filters.ts";
import { isNewer, mergeNewestFirst } from "./logic/merge.ts";
import { addMessages, addPhones } from "./phones.ts";
import * as state from "./state.ts";
import { isLoopback, monotonicMs, throttled } from "./system.ts";
import type * as wire from "./wire.ts";

/** Loads the state from the server, at the start and again later. */

const REQUESTS_AT_ONCE = 200;

/** How often everything was loaded. */
let loads = 0;
/** How often the rows were asked for anew: an answer from before does not belong to them. */
let rowLoads = 0;

/** Loads everything: at the start, and when events were missed. */
export async function loadAll(): Promise<void> {
  loads += 1;
  rowLoads += 1;
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
  addMessages((await api.get<{ messages: wire.Message[] }>("/messages")).messages);
  await Promise.all([loadPrompts(), loadRows(), loadRequests()]);
  if (state.openPayment.value !== null) refreshStory();
}

async function loadRequests(): Promise<void> {
  const mine = loads;
  for (let before = ""; ; ) {
    const { requests, next } = await api.get<wire.RequestPage>(`/requests?limit=${REQUESTS_AT_ONCE}${before}`);
    // Everything may be forgotten and loaded again meanwhile.
    if (mine !== loads) return;
    state.requests.add(requests);
    if (next === null) return;
    before = `&before=${requests[0]?.id}`;
  }
}

/** The deliveries that were loaded. All others came with events. */
const loadedDeliveries = new WeakSet<wire.Delivery>();

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
    const before = new Set(state.deliveries.value);
    const path = `/webhook?limit=${state.MOST_DELIVERIES}`;
    const answer = await api.get<{ webhook: wire.Webhook | null; deliveries: wire.Delivery[] }>(path);
    const deliveries = answer.deliveries.reverse();
    // Deliveries of events that came meanwhile are newer than this answer. Those of another load may be older.
    const arrived = state.deliveries.value.filter((one) => !before.has(one) && !loadedDeliveries.has(one));
    for (const one of deliveries) loadedDeliveries.add(one);
    state.webhook.value = answer.webhook;
    state.deliveries.value = mergeNewestFirst(deliveries, arrived, state.MOST_DELIVERIES);
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

/** @returns a function that says whether the list is still the same: the same rows are selected, and were not asked for anew */
function sameList(): () => boolean {
  const asked = state.selection.value;
  const mine = rowLoads;
  return () => state.selection.value === asked && mine === rowLoads;
}

/** Loads a page of these rows, and their totals; null if the list is another one when they come. */
async function loadPage(page: number): Promise<readonly wire.Transaction[] | null> {
  const isSame = sameList();
  const path = `/transactions?${selectedRows()}&page=${page}&limit=${state.PAGE_SIZE}`;
  const list = await api.get<wire.TransactionList>(path);
  if (!isSame()) return null;
  state.totalItems.value = list.pagination.total_items;
  state.counts.value = list.every_status;
  return arrivals.remember(list.transactions);
}

/** Loads the first rows of a new selection. */
export async function loadRows(): Promise<void> {
  rowLoads += 1;
  const isSame = sameList();
  let rows: readonly wire.Transaction[] | null = [];
  let problem: Refused | null = null;
  try {
    rows = await loadPage(1);
  } catch (error) {
    if (!(error instanceof Refused) || error.status === null || error.status === 401) throw error;
    problem = error;
  }
  if (rows === null || !isSame()) return;
  batch(() => {
    state.payments.replace(rows);
    state.answeredSelection.value = state.selection.value;
    state.filterProblem.value = problem;
  });
}

/** Refreshes totals and the rows that only the server can select, at most once a second. */
export const refreshRows = throttled(
  () => 1000,
  () =>
    quietly(async () => {
      // The rows of the selection before must not be shown as those of a new one, which are loaded next.
      if (!state.isListCurrent.value) return refreshRows();
      const rows = await loadPage(1);
      const [newest] = state.payments.rows.value;
      const oldest = rows?.at(-1);
      // The page may only have rows above all that are shown.
      if (rows && newest && oldest && !isHeld.value && isNewer(oldest, newest)) state.payments.replace(rows);
      else if (rows) state.payments.add(rows);
    }),
);

/**
 * Loads the rows below the list, as many as a page has. Payments that arrive push the rows to later pages, so this looks for the page of
 * the last row: between `above`, whose rows are not older, and `below`, whose rows all are.
 */
export async function loadMore(): Promise<void> {
  const { payments } = state;
  const wanted = Math.min(payments.rows.value.length + state.PAGE_SIZE, state.MOST_ROWS);
  let above = 0;
  let below = Number.POSITIVE_INFINITY;
  let page = Math.max(1, Math.ceil((payments.rows.value.length + payments.waiting.value.length) / state.PAGE_SIZE));
  for (let step = 1; ; step *= 2) {
    const rows = await loadPage(page);
    const last = payments.rows.value.at(-1);
    if (!rows || !last) return;
    const older = rows.filter((row) => isNewer(last, row));
    const isEnd = rows.length < state.PAGE_SIZE;
    if (older.length === rows.length && page > above + 1) {
      below = page;
    } else if (older.length > 0 || isEnd) {
      payments.rows.value = [...payments.rows.value, ...older].slice(0, wanted);
      if (isEnd || payments.rows.value.length >= wanted) return;
      // The last row was in the middle of its page.
      above = page;
      below = page + 1;
    } else {
      above = page;
    }
    page = below < Number.POSITIVE_INFINITY ? Math.max(above + 1, (above + below) >> 1) : page + step;
  }
}

/** Loads the last payment, which the filters may hide. */
export const loadNewest = (): Promise<void> =>
  quietly(async () => {
    const list = await api.get<wire.TransactionList>(`/transactions?merchant_id=${state.merchantId.value}&limit=1`);
    arrivals.remember(list.transactions);
  });

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

const askForPrompts = () => api.get<{ total: number; prompts: wire.Prompt[] }>("/prompts");

/** @param keepsKnown whether a known prompt that is not listed any more stays until the event of its end says how it ended */
async function loadPrompts(keepsKnown = false): Promise<void> {
  const { total, prompts } = await askForPrompts();
  const all = keepsKnown ? [...state.prompts.value.values(), ...prompts] : prompts;
  const open = all.filter(({ checkout_request_id }) => !arrivals.hasEnded(checkout_request_id));
  state.promptsLeftOut.value = total - prompts.length;
  state.prompts.value = new Map(open.map((prompt) => [prompt.checkout_request_id, prompt]));
  addPhones(open.map(({ phone }) => phone));
}

/** @param isWanted whether the tab is still hidden when the answer comes */
export const pollPrompts = (isWanted: () => boolean): Promise<void> =>
  quietly(async () => {
    const { total } = await askForPrompts();
    if (isWanted()) state.polledPrompts.value = total;
  });

/** Loads the messages of one phone, also older ones than the last 100 of all phones. */
export const loadMessages = (phone: string): Promise<void> =>
  quietly(async () => {
    addMessages((await api.get<{ messages: wire.Message[] }>(`/messages?phone=${phone}`)).messages);
  });

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
        // Add the row: its event may not have arrived, and the focus returns to the row when the story is closed.
        if (state.isLoaded.value && state.isListCurrent.value) arrivals.addRows(arrivals.remember([story.transaction]));
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
