import { expect, jest, test } from "bun:test";
import {
  ANYTHING,
  arrivals,
  asking,
  holdNext,
  isHeld,
  LiveList,
  loading,
  pass,
  phones,
  server,
  settle,
  startEachTestAnew,
  state,
} from "./page.ts";

/** What the page shows of the payments, in the course of time. */

startEachTestAnew();
const { list, prompts } = state;
const { loadAll, loadMore } = loading;
const { remember } = arrivals;
const { endPrompts, pickPhone } = phones;

const listed = (ids: readonly number[], total = ids.length) =>
  Response.json({
    transactions: ids.map((id) => ({ id, checkout_request_id: `ws_CO_${id}` })),
    ...{ pagination: { total_items: total }, every_status: {} },
  });
const idsOf = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);
const shownIds = () => idsOf(state.payments.rows.value);

const down = (newest: number, count: number) => Array.from({ length: count }, (_, index) => newest - index);

test("as many rows as a page has are added, also if new payments have moved the last row to the middle of a page, or others have left", async () => {
  let newest = 200;
  server.answer = async (path) => {
    const from = newest - (Number(/[?&]page=(\d+)/.exec(path)?.[1]) - 1) * 50;
    return listed(down(from, Math.max(0, Math.min(50, from))), newest);
  };
  await list.load();
  newest = 270;
  await loadMore();
  expect(shownIds()).toEqual(down(200, 100));
  newest = 120; // so that the next rows are on the page of those before
  await loadMore();
  expect(shownIds()).toEqual(down(200, 150));
  for (let time = 0; time < 2; time += 1) await loadMore();
  expect(shownIds()).toEqual(down(200, 200));
});

test("a payment that has ended stays ended when an older list comes, until all is forgotten", () => {
  const [pending, paid] = ["pending", "completed"].map((status) => ({ checkout_request_id: "a", id: 1, status }));
  remember([paid]);
  expect(remember([pending])).toEqual([paid]);
  arrivals.forgetPayments();
  expect(remember([pending])).toEqual([pending]);
});

test("while a list stands still, its rows change in place, and new ones wait, in the order of time", () => {
  const newest = state.payments.newest;
  const row = (id: number, second: number, status = "completed") => ({
    ...{ id, status, created_at: `2026-11-20 10:00:0${second}` },
  });
  const shown = new LiveList(newest);
  const ids = () => [idsOf(shown.rows.value), idsOf(shown.waiting.value)];
  shown.replace([row(9, 5), row(8, 4, "pending")]);
  isHeld.value = true;
  // A replica has given a lower id to a later payment.
  newest.value = [row(5, 6), row(9, 5), row(8, 4, "pending")];
  shown.change([row(8, 4), row(7, 3)]);
  expect(ids()).toEqual([[9, 8], [5]]);
  expect(shown.rows.value[1].status).toBe("completed");
  shown.showWaiting();
  expect(ids()).toEqual([[5, 9, 8], []]);
  isHeld.value = false;
});

test("rows that were opened below the newest stay open, as many as were shown, unless rows between them are missing", () => {
  const { payments } = state;
  const rows = (...ids: readonly number[]) => ids.map((id) => ({ id }));
  payments.replace(rows(9, 8));
  payments.rows.value = rows(9, 8, 7, 6);
  payments.newest.value = rows(10, 9);
  expect(shownIds()).toEqual([10, 9, 8, 7]);
  payments.newest.value = rows(14, 13);
  expect(shownIds()).toEqual([14, 13]);
});

const PHONE = "254711000009";
const prompt = (id: string) => ({ checkout_request_id: id, phone: PHONE });
const promptsOf = (...ids: readonly string[]) => ({ ...ANYTHING, total: ids.length, prompts: ids.map(prompt) });
const openPrompts = () => [...prompts.value.open.keys()];

test.each([
  ["stays until the event of its end", "live", ["old", "new"]],
  ["goes from a hidden tab, which has no events", "connecting", ["new"]],
])("a prompt of the shown phone that is no longer listed %s", async (_, connection, open) => {
  asking.connection.value = connection;
  server.answer = async () => Response.json(promptsOf("old"));
  await prompts.load();
  server.answer = async () => Response.json(promptsOf("new"));
  expect(state.shownPhone.value).toBe(PHONE);
  await prompts.load();
  expect(openPrompts()).toEqual(open);
  asking.connection.value = "connecting";
});

test("a prompt is open if its payment has not ended meanwhile; after a reset, one with the same id is another one", async () => {
  const held = holdNext("/prompts");
  const loaded = prompts.load();
  await settle();
  remember([{ ...prompt("again"), status: "completed" }]);
  held.resolve(Response.json(promptsOf("again", "open")));
  await loaded;
  expect(openPrompts()).toEqual(["open"]);
  asking.connection.value = "live";
  server.answer = async () => Response.json(promptsOf("again"));
  await loadAll();
  expect(openPrompts()).toEqual(["again"]);
  asking.connection.value = "connecting";
});

test("a thousand prompts are loaded again after a second: those of payments of 3 s are seen, too", async () => {
  server.answer = async () => Response.json({ ...promptsOf(...down(1000, 1000).map(String)), total: 1264 });
  prompts.refresh();
  await settle();
  expect([prompts.value.open.size, prompts.value.leftOut]).toEqual([1000, 264]);
  prompts.refresh();
  await pass(999);
  expect(server.asked).toHaveLength(1);
  await pass(1);
  expect(server.asked).toHaveLength(2);
});

test("the phone on the handset stays for 4 s, and shows for 30 s how its prompt ended, until its next prompt; others do not", () => {
  const [shown, other] = ["254711000001", "254711000002"];
  prompts.value = { open: new Map([["e", { checkout_request_id: "e", phone: shown }]]), leftOut: 0 };
  const end = (phone: string | undefined, status: string) =>
    endPrompts([{ checkout_request_id: "e", merchant_id: 1, amount: 5, phone, status }]);
  const title = () => state.endNote.value?.title;
  expect(state.shownPhone.value).toBe(shown);
  end(other, "completed");
  expect(title()).toBeUndefined();
  end(shown, "cancelled");
  jest.advanceTimersByTime(3999);
  expect([state.pickedPhone.value, title()]).toEqual([shown, "Cancelled"]);
  jest.advanceTimersByTime(1);
  expect([state.pickedPhone.value, title()]).toEqual([null, "Cancelled"]);
  end(shown, "expired"); // its 30 s begin now
  jest.advanceTimersByTime(29_999);
  expect(title()).toBe("Too late");
  jest.advanceTimersByTime(1);
  expect(title()).toBeUndefined();
  end(shown, "cancelled");
  end(shown, "pending");
  expect(title()).toBeUndefined();
});

test("a picked phone stays on the handset for 8 s, and longer while it rings; then others can have it", () => {
  const isPicked = () => state.pickedPhone.value === PHONE;
  pickPhone("254711000001");
  jest.advanceTimersByTime(7000);
  pickPhone(PHONE); // its 8 s begin now
  jest.advanceTimersByTime(7999);
  expect(isPicked()).toBe(true);
  prompts.value = { open: new Map([["a", prompt("a")]]), leftOut: 0 };
  jest.advanceTimersByTime(1);
  prompts.value = { open: new Map(), leftOut: 0 };
  jest.advanceTimersByTime(7999);
  expect(isPicked()).toBe(true);
  jest.advanceTimersByTime(1);
  expect(state.pickedPhone.value).toBe(null);
});

test("the log is whole, also if the server gives it in several answers", async () => {
  const pageBefore = (before: number) => ({
    requests: down(before - 1, 200)
      .reverse()
      .map((id) => ({ id })),
    next: before > 401 ? "more" : null,
  });
  server.answer = async (path) => {
    const [, before = 601] = /before=(\d+)/.exec(path) ?? [];
    return Response.json({ ...ANYTHING, ...(path.includes("/requests") && pageBefore(Number(before))) });
  };
  await loadAll();
  expect(idsOf(state.requests.rows.value)).toEqual(down(600, 400));
});
