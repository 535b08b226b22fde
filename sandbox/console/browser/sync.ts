import { batch, effect } from "@preact/signals";
import { api, Refused, tokenAsked } from "./api.ts";
import { remember } from "./arrivals.ts";
import { connection, isLoaded, type Part } from "./asking.ts";
import { loadAll } from "./loading.ts";
import { endPrompts } from "./phones.ts";
import * as state from "./state.ts";
import { after, becomes, every, isHidden, sleep, throttled } from "./system.ts";
import type { ConsoleEvent, EventData, SteeringPart, Transaction } from "./wire.ts";

/** Keeps the state up to date with the server: loads it, follows the events, and reconnects. */

/** A stream without data for this long is dead: a heartbeat arrives every 15 s. */
const SILENCE_MS = 25_000;
/** An attempt that has no answer after this time hangs. */
const ATTEMPT_MS = 10_000;
/** A tab that is hidden for this long has no stream, because a browser opens six connections to a server, for all tabs together. */
const HIDDEN_MS = 3000;
const RETRY_MS = [250, 500, 1000, 2000] as const;

let lastEventId: string | null = null;

/** Loads and follows the events, while the tab is shown, until the page is closed. */
export async function follow(): Promise<never> {
  for (let failures = 0; ; ) {
    if (isHidden.value) connection.value = "connecting";
    await becomes(() => !isHidden.value);
    await connect();
    failures = connection.value === "live" ? 0 : failures + 1;
    if (tokenAsked.value) await becomes(() => tokenAsked.value === null);
    else if (!isHidden.value) {
      connection.value = "lost";
      await sleep(RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0);
    }
  }
}

/** Ends the stream. */
let leave = () => {};

async function connect(): Promise<void> {
  const leaving = new AbortController();
  leave = () => leaving.abort();
  let cancelSilence = after(ATTEMPT_MS, leave);
  const onSign = () => {
    cancelSilence();
    cancelSilence = after(SILENCE_MS, leave);
  };
  const stop = effect(() => {
    if (isHidden.value) return after(HIDDEN_MS, leave);
    // The clock of the page may have stood still while the tab was hidden, or the machine slept.
    if (connection.value === "live") state.clock.refresh();
    return undefined;
  });
  try {
    const needsAll = lastEventId === null || !isLoaded.value;
    await api.listen(lastEventId, {
      signal: leaving.signal,
      onSign,
      onOpen(id) {
        onSign();
        lastEventId = id ?? lastEventId;
        // Load after the stream is open, so that no event is missed between the two.
        if (needsAll) void renew();
        else connection.value = "live";
      },
      onEvent(event, id) {
        if (id) lastEventId = id;
        arrived.push(event);
        applyArrived();
      },
    });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  } finally {
    cancelSilence();
    stop();
  }
}

/** Loads everything. From then on, events are enough. What could not be loaded is loaded by the next attempt to connect. */
async function renew(): Promise<void> {
  // There may be another stream when the answers come.
  const mine = leave;
  const isLast = await loadAll();
  if (isLoaded.value) connection.value = "live";
  else if (isLast) mine();
}

let arrived: ConsoleEvent[] = [];

/** Events arrive one by one and are applied together, so that a high rate does not block drawing. */
const applyArrived = throttled(
  () => 50,
  async () => {
    const events = arrived;
    arrived = [];
    batch(() => apply(events));
  },
);

/** Whether everything must be loaded again: after a reset, a restore or missed events. */
const needsReload = ({ name, data }: ConsoleEvent): boolean =>
  name === "gap" || (name === "steering" && (data.what === "reset" || data.what === "restore"));

function apply(events: readonly ConsoleEvent[]): void {
  // Events before the last reload no longer matter.
  const last = events.findLastIndex(needsReload);
  if (last >= 0) {
    state.payments.showWaiting(); // what was opened below can be of another state
    void renew();
  }
  const dataOf = <Name extends ConsoleEvent["name"]>(wanted: Name) =>
    events.slice(last + 1).flatMap(({ name, data }) => (name === wanted ? [data as EventData<Name>] : []));
  const transactions = dataOf("transaction");
  const logged = dataOf("request");
  const deliveries = dataOf("webhook");
  if (transactions.length > 0) applyTransactions(transactions);
  if (logged.length > 0) state.log.value = state.withRequests(logged);
  if (deliveries.length > 0) state.webhook.refresh();
  const touched = [...transactions, ...logged, ...deliveries];
  if (touched.some((one) => one.checkout_request_id === state.openPayment.value)) state.told.refresh();
  if (dataOf("message").some(({ phone }) => phone === state.shownPhone.value)) state.messages.refresh();
  // The summary of the audit counts the requests.
  if (dataOf("audit").length > 0 || (logged.length > 0 && state.view.value === "audit")) state.audit.refresh();
  for (const { what } of dataOf("steering")) {
    for (const part of STEERED[what]) part.refresh();
  }
}

/** What each change of the steering, also by another client, asks for again. */
const STEERED: Readonly<Record<SteeringPart, readonly Pick<Part<unknown>, "refresh">[]>> = {
  rules: [state.rules],
  faults: [state.faults],
  clock: [state.clock],
  default: [state.fallback],
  webhook: [state.webhook],
  snapshots: [state.snapshots],
  registry: [state.merchants, state.accounts, state.keys],
  // Everything is loaded again.
  reset: [],
  restore: [],
};

function applyTransactions(events: readonly Transaction[]): void {
  state.payments.change(remember(events));
  if (events.some(({ merchant_id }) => merchant_id === state.merchantId.value)) {
    state.list.refresh();
    state.whole.refresh();
  }
  endPrompts(events);
  if (state.prompts.value.leftOut > 0 || events.some(({ status }) => status === "pending")) state.prompts.refresh();
}

/** How often to load what is in no event: findings about missing requests, and the prompts of a hidden tab. */
const SILENCES_MS = 5000;
every(SILENCES_MS, () => {
  if (connection.value === "live") state.audit.refresh();
  // A hidden tab has no events, and its title counts the prompts.
  else if (isHidden.value && isLoaded.value) state.prompts.refresh();
});
