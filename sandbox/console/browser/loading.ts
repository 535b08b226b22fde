import { forgetPayments, remember } from "./arrivals.ts";
import { ask, beginAnew, isLoaded, loadMissing, quietly } from "./asking.ts";
import { isNewer } from "./live-list.ts";
import { isFiltered } from "./logic/filters.ts";
import * as state from "./state.ts";
import type { RequestPage, TransactionList } from "./wire.ts";

/** Loads the rows below the list, as many as a page has. Payments that arrive push them to later pages; those that end may leave it. */
export async function loadMore(): Promise<void> {
  const { rows, waiting } = state.payments;
  const wanted = Math.min(rows.value.length + state.PAGE_SIZE, state.MOST_ROWS);
  let page = Math.max(1, Math.ceil((rows.value.length + waiting.value.length) / state.PAGE_SIZE));
  for (let isTooFar = true; ; ) {
    const answer = await ask<TransactionList>(() => state.pathOfPage(page));
    const last = rows.value.at(-1);
    if (!answer || !last) return;
    const older = remember(answer.transactions).filter((row) => isNewer(last, row));
    isTooFar &&= page > 1 && older.length === answer.transactions.length;
    if (isTooFar) {
      page -= 1;
      continue;
    }
    rows.value = [...rows.value, ...older].slice(0, wanted);
    if (answer.transactions.length < state.PAGE_SIZE || rows.value.length >= wanted) return;
    page += 1;
  }
}

/** Loads the rest of the log: an answer has a bound in bytes, so the first one may have a part of it. */
async function loadOlderRequests(): Promise<void> {
  let hasMore = true;
  while (hasMore) {
    const oldest = state.log.peek().at(-1);
    if (!oldest) return;
    const path = `/requests?limit=${state.MOST_REQUESTS}&before=${oldest.id}`;
    const page = await ask<RequestPage>(() => path);
    if (!page) return;
    state.log.value = state.withRequests(page.requests);
    hasMore = Boolean(page.next) && state.log.peek().at(-1) !== oldest;
  }
}

/**
 * Loads everything: at the start, and when events were missed.
 * @returns false if another load has begun meanwhile
 */
export async function loadAll(): Promise<boolean> {
  const isLast = beginAnew();
  forgetPayments();
  state.pickedPhone.value = null;
  state.endNote.value = null;
  state.requests.replace([]);
  await quietly(async () => {
    await state.server.load();
    // Their choice selects the rows.
    await state.merchants.load();
    if (!isLast()) return;
    await loadMissing();
    await loadOlderRequests();
    if (!isLast()) return;
    state.isFirstRun.value = state.list.value.total === 0 && !isFiltered(state.filters.value);
    isLoaded.value = true;
  });
  return isLast();
}
