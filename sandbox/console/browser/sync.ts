import { batch, effect } from "@preact/signals";
import { createControlClient, Refused, ServerLost } from "./control-client.ts";
import { belongs, queryOf } from "./logic/filters.ts";
import { mergeNewestFirst } from "./logic/merge.ts";
import { noteOf } from "./logic/phone-notes.ts";
import * as state from "./state.ts";
import { after, every, monotonicMs, nextFrame, sleep } from "./system.ts";
import { throttled } from "./throttle.ts";
import type {
  Account,
  ClockReading,
  ConsoleEvent,
  Default,
  Fault,
  Key,
  LoggedRequest,
  Merchant,
  Message,
  Outcome,
  Prompt,
  Rule,
  ServerFacts,
  SteeringPart,
  Story,
  TransactionEvent,
  TransactionList,
} from "./wire.ts";

/** Keeps the state like the server: loads it, follows the events, and comes back when the server does. */

export const api = createControlClient({
  // Below the page, which stands at `/_momo/`.
  url: "/_momo",
  token: () => state.token.value,
  onTokenAsked: () => {
    state.tokenAsked.value = { isWrong: state.token.value !== null };
  },
});

const PAGE_SIZE = 100;
/** So many rows are loaded without being asked for; the chart is made from them. */
const FIRST_ROWS = 1000;
/** A stream that shows no sign for so long is dead; a heartbeat comes every 15 s. */
const SILENCE_MS = 40_000;
const RETRY_MS = [250, 500, 1000, 2000] as const;

let lastEventId: string | null = null;
let isLoaded = false;

/** Loads and follows until the page is closed. */
export async function follow(): Promise<never> {
  for (let failures = 0; ; ) {
    const wasLive = await connect();
    failures = wasLive ? 0 : failures + 1;
    if (state.tokenAsked.value) await tokenGiven();
    else {
      state.connection.value = "lost";
      await sleep(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0);
    }
  }
}

/** @returns whether it was live for a while */
async function connect(): Promise<boolean> {
  const leaving = new AbortController();
  let wasLive = false;
  let cancelSilence = () => {};
  const onSign = () => {
    cancelSilence();
    cancelSilence = after(SILENCE_MS, () => leaving.abort());
  };
  try {
    const needsAll = lastEventId === null || !isLoaded;
    await api.listen(lastEventId, {
      signal: leaving.signal,
      onSign,
      onOpen() {
        onSign();
        // The stream is open before anything is loaded, so that nothing falls between the two.
        if (needsAll) void loadAll();
        else state.connection.value = "live";
        wasLive = true;
      },
      onEvent(event, id) {
        if (id) lastEventId = id;
        take(event);
      },
    });
  } catch (error) {
    if (!(error instanceof ServerLost || error instanceof Refused)) throw error;
  } finally {
    cancelSilence();
  }
  return wasLive;
}

function tokenGiven(): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (state.tokenAsked.value !== null) return;
      resolve();
      // Not before `stop` has been given its value.
      queueMicrotask(() => stop());
    });
  });
}

// Events arrive one by one and are taken together, once a frame: drawing keeps up whatever the rate.

let arrived: ConsoleEvent[] = [];
let isFrameAwaited = false;

function take(event: ConsoleEvent): void {
  arrived.push(event);
  if (isFrameAwaited) return;
  isFrameAwaited = true;
  nextFrame(() => {
    isFrameAwaited = false;
    const events = arrived;
    arrived = [];
    batch(() => apply(events));
  });
}

function apply(events: readonly ConsoleEvent[]): void {
  const transactions: TransactionEvent[] = [];
  const calls: LoggedRequest[] = [];
  const texts: Message[] = [];
  for (const event of events) {
    switch (event.name) {
      case "gap":
        void loadAll();
        break;
      case "transaction":
        transactions.push(event.data);
        break;
      case "request":
        calls.push(event.data);
        break;
      case "message":
        texts.push(event.data);
        break;
      case "steering":
        void reload(event.data.what);
        break;
    }
  }
  if (transactions.length > 0) applyTransactions(transactions);
  if (calls.length > 0) applyRequests(calls);
  if (texts.length > 0) addMessages(texts);
}

function applyTransactions(events: readonly TransactionEvent[]): void {
  const ours = events.filter(({ merchant_id }) => merchant_id === state.merchantId.value);
  const { rows, filters } = state;
  const oldest = rows.value.at(-1)?.id ?? 0;
  const isAll = rows.value.length >= (state.totalItems.value ?? 0);
  const known = new Set(rows.value.map(({ id }) => id));
  const fitting = ours.filter((transaction) => {
    if (!isAll && transaction.id < oldest) return false;
    return belongs(transaction, filters.value) ?? known.has(transaction.id);
  });
  const leaving = new Set(ours.filter((one) => belongs(one, filters.value) === false).map(({ id }) => id));
  const staying = leaving.size === 0 ? rows.value : rows.value.filter(({ id }) => !leaving.has(id));
  rows.value = mergeNewestFirst(staying, fitting, state.MOST_ROWS);
  if (ours.length > 0) refreshRows();

  rememberEnds(events);
  const open = new Map(state.prompts.value);
  const notesBefore = state.phoneNotes.value;
  const notes = new Map(notesBefore);
  for (const transaction of events) {
    const prompt = open.get(transaction.checkout_request_id);
    if (transaction.status === "pending") {
      notes.delete(transaction.phone);
    } else if (prompt) {
      open.delete(transaction.checkout_request_id);
      notes.set(transaction.phone, { ...noteOf(transaction, prompt.business), status: transaction.status });
    }
    if (transaction.checkout_request_id === state.route.value.checkoutRequestId) refreshStory();
  }
  state.prompts.value = open;
  state.phoneNotes.value = notes;
  for (const [phone, note] of notes) {
    if (notesBefore.get(phone) !== note) after(NOTE_MS, () => removeNote(phone, note));
  }
  bringIntoPlay(events.map(({ phone }) => phone));
  if (events.some(({ status }) => status === "pending")) refreshPrompts();
}

/** So long a phone shows what became of a prompt; its story has it for good. */
const NOTE_MS = 30_000;

function removeNote(phone: string, note: state.PhoneNote): void {
  if (state.phoneNotes.value.get(phone) !== note) return;
  const notes = new Map(state.phoneNotes.value);
  notes.delete(phone);
  state.phoneNotes.value = notes;
}

function rememberEnds(transactions: readonly (TransactionEvent | TransactionList["transactions"][number])[]): void {
  const ends = new Map(state.ends.value);
  for (const transaction of transactions) {
    const end = state.endOf(transaction);
    const before = ends.get(transaction.checkout_request_id);
    // The moment at which a payment was seen to fail is better than none.
    const isEndSeen = before?.status === "pending" && end.status !== "pending" && end.endedAtMs === null;
    ends.set(
      transaction.checkout_request_id,
      isEndSeen ? { ...end, endedAtMs: state.sandboxNow.value } : before?.endedAtMs != null ? before : end,
    );
  }
  for (const id of ends.keys()) {
    if (ends.size <= state.MOST_ENDS) break;
    ends.delete(id);
  }
  state.ends.value = ends;
}

let countedRequests = 0;
every(1000, () => {
  if (state.requestsPerSecond.value !== countedRequests) state.requestsPerSecond.value = countedRequests;
  countedRequests = 0;
});

function applyRequests(calls: readonly LoggedRequest[]): void {
  countedRequests += calls.length;
  const lastId = state.requests.value.at(-1)?.id ?? 0;
  const added = calls.filter(({ id }) => id > lastId);
  state.requests.value = [...state.requests.value, ...added].slice(-state.MOST_REQUESTS);
  const id = state.route.value.checkoutRequestId;
  if (id !== null && calls.some(({ body }) => body?.includes(id))) refreshStory();
}

function addMessages(texts: readonly Message[]): void {
  const known = new Set(state.messages.value.map(({ checkout_request_id }) => checkout_request_id));
  const added = texts.filter(({ checkout_request_id }) => !known.has(checkout_request_id));
  state.messages.value = [...added, ...state.messages.value]
    .sort((a, b) => b.at_ms - a.at_ms)
    .slice(0, state.MOST_MESSAGES);
  bringIntoPlay(added.map(({ phone }) => phone));
}

/** As many phones as anybody can look through. */
const MOST_PHONES = 200;

function bringIntoPlay(phones: readonly string[]): void {
  const seen = state.phonesSeen.value;
  const added = [...new Set(phones)].filter((phone) => !seen.includes(phone));
  if (added.length === 0) return;
  const rings = (phone: string) => state.promptsByPhone.value.has(phone) || phone === state.pickedPhone.value;
  const all = [...seen, ...added];
  const surplus = all.length - MOST_PHONES;
  const leaving = new Set(surplus > 0 ? all.filter((phone) => !rings(phone)).slice(0, surplus) : []);
  state.phonesSeen.value = all.filter((phone) => !leaving.has(phone)).slice(-MOST_PHONES);
}

// What is loaded, and loaded again.

/** Loads everything afresh: at the start, and when events were missed. */
async function loadAll(): Promise<void> {
  isLoaded = false;
  try {
    state.server.value = await api.get<ServerFacts>("/server");
    await loadRegistry();
    await Promise.all([
      api.get<{ outcomes: Outcome[] }>("/outcomes").then((answer) => {
        state.outcomes.value = answer.outcomes;
      }),
      reload("clock"),
      reload("default"),
      reload("rules"),
      reload("faults"),
      loadWhatHappened(),
    ]);
    isLoaded = true;
    state.connection.value = "live";
  } catch (error) {
    if (!(error instanceof ServerLost || error instanceof Refused)) throw error;
  }
}

async function loadWhatHappened(): Promise<void> {
  const log = await api.get<{ requests: LoggedRequest[] }>("/requests");
  const texts = await api.get<{ messages: Message[] }>("/messages");
  batch(() => {
    state.requests.value = log.requests.slice(-state.MOST_REQUESTS);
    state.messages.value = [];
    state.phoneNotes.value = new Map();
    state.ends.value = new Map();
    addMessages(texts.messages);
  });
  await Promise.all([loadPrompts(), loadRows()]);
  if (state.route.value.checkoutRequestId !== null) refreshStory();
}

export async function reload(part: SteeringPart): Promise<void> {
  switch (part) {
    case "rules":
      state.rules.value = (await api.get<{ rules: Rule[] }>("/rules")).rules;
      return;
    case "faults":
      state.faults.value = await api.get<{ seed: number; faults: Fault[] }>("/faults");
      return;
    case "clock":
      state.clock.value = { ...(await api.get<ClockReading>("/clock")), takenAtMs: monotonicMs() };
      return;
    case "default":
      state.fallback.value = await api.get<Default>("/default");
      return;
    case "registry":
      return loadRegistry();
    case "reset":
      state.phonesSeen.value = [];
      state.pickedPhone.value = null;
      return loadAll();
  }
}

async function loadRegistry(): Promise<void> {
  const { merchants } = await api.get<{ merchants: Merchant[] }>("/merchants");
  // Another server may be behind the same address now, with other merchants.
  const chosen = merchants.find(({ id }) => id === state.merchantId.value)?.id;
  state.merchantId.value = chosen ?? state.server.value?.default_merchant_id ?? null;
  const ofMerchant = `?merchant_id=${state.merchantId.value}`;
  const [{ accounts }, { keys }] = await Promise.all([
    api.get<{ accounts: Account[] }>(`/accounts${ofMerchant}`),
    api.get<{ keys: Key[] }>(`/keys${ofMerchant}`),
  ]);
  batch(() => {
    state.merchants.value = merchants;
    state.accounts.value = accounts;
    state.keys.value = keys;
  });
}

const listPath = (page: number, limit: number) => {
  const query = queryOf(state.filters.value);
  query.set("merchant_id", String(state.merchantId.value ?? 1));
  query.set("page", String(page));
  query.set("limit", String(limit));
  return `/transactions?${query}`;
};

/** The filters and the merchant that the rows are of; an answer for others comes too late. */
const selection = () => `${state.merchantId.value} ${queryOf(state.filters.value)}`;

async function loadPage(page: number, replaces: boolean): Promise<boolean> {
  const asked = selection();
  const list = await api.get<TransactionList>(listPath(page, PAGE_SIZE));
  if (selection() !== asked) return false;
  batch(() => {
    state.rows.value = replaces
      ? list.transactions
      : mergeNewestFirst(state.rows.value, list.transactions, state.MOST_ROWS);
    state.totalItems.value = list.pagination.total_items;
    state.summary.value = list.summary;
    state.filterProblem.value = null;
    rememberEnds(list.transactions);
  });
  return list.transactions.length === PAGE_SIZE;
}

/** The first rows of a new selection. */
export async function loadRows(): Promise<void> {
  try {
    state.isLoadingRows.value = true;
    let hasMore = await loadPage(1, true);
    while (hasMore && state.rows.value.length < FIRST_ROWS) hasMore = await loadPage(nextPage(), false);
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 400) throw error;
    state.filterProblem.value = error.message;
  } finally {
    state.isLoadingRows.value = false;
  }
}

const nextPage = () => Math.floor(state.rows.value.length / PAGE_SIZE) + 1;

/** The rows after those that are there. */
export async function loadMoreRows(): Promise<void> {
  const { rows, totalItems, isLoadingRows } = state;
  if (isLoadingRows.value || rows.value.length >= Math.min(totalItems.value ?? 0, state.MOST_ROWS)) return;
  isLoadingRows.value = true;
  try {
    await loadPage(nextPage(), false);
  } catch (error) {
    if (!(error instanceof ServerLost || error instanceof Refused)) throw error;
  } finally {
    isLoadingRows.value = false;
  }
}

/** The server's own word on totals, and on what a filter selects; a second is often enough. */
const refreshRows = throttled(1000, () => quietly(async () => void (await loadPage(1, false))));

/** Open prompts are asked for as a whole: at most 1,000, the oldest first. */
const refreshPrompts = throttled(300, () => quietly(loadPrompts));

async function loadPrompts(): Promise<void> {
  const { prompts } = await api.get<{ prompts: Prompt[] }>("/prompts");
  batch(() => {
    state.prompts.value = new Map(prompts.map((prompt) => [prompt.checkout_request_id, prompt]));
    bringIntoPlay(prompts.map(({ phone }) => phone));
  });
}

const refreshStory = throttled(400, () =>
  quietly(async () => {
    const id = state.route.value.checkoutRequestId;
    if (id === null) return;
    try {
      const story = await api.get<Story>(`/transactions/${encodeURIComponent(id)}`);
      if (state.route.value.checkoutRequestId !== id) return;
      state.story.value = story;
      state.storyProblem.value = null;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      state.storyProblem.value = error.message;
    }
  }),
);

/** Another payment's story, or none. */
export function openStory(checkoutRequestId: string | null): void {
  if (state.story.value?.transaction.checkout_request_id === checkoutRequestId) return;
  state.story.value = null;
  state.storyProblem.value = null;
  if (checkoutRequestId !== null) refreshStory();
}

/** For what is tried again anyway: the stream says when the server is gone. */
async function quietly(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof ServerLost || error instanceof Refused)) throw error;
  }
}
