import { expect, jest, test } from "bun:test";
import { arrivals, isHeld, pass, phones, settle, startEachTestAnew, state, system } from "./page.ts";

/** What the page shows of what arrives. */

startEachTestAnew();
const { addMessages, addPhones, pickPhone } = phones;
const { addRows, forgetAll, remember } = arrivals;
const { throttled } = system;

test("messages of phones are newest first, in whatever order they come, and each is there once; the newest stay", () => {
  const messages = (...times: number[]) =>
    times.map((at_ms) => ({ checkout_request_id: `m${at_ms}`, at_ms, phone: "254700000001", text: "Confirmed." }));
  const shown = () => state.messages.value.map(({ at_ms }: { at_ms: number }) => at_ms);
  for (const times of [[2], [1, 4], [3, 1]]) addMessages(messages(...times));
  expect(shown()).toEqual([4, 3, 2, 1]);
  addMessages(messages(...Array.from({ length: state.MOST_MESSAGES }, (_, index) => index + 3)));
  expect(shown()).toEqual(Array.from({ length: state.MOST_MESSAGES }, (_, index) => state.MOST_MESSAGES + 2 - index));
});

test("a payment that has ended stays ended when an older list comes, until all is forgotten", () => {
  const [pending, paid] = ["pending", "completed"].map((status) => ({ checkout_request_id: "a", id: 1, status }));
  remember([paid]);
  expect(remember([pending])).toEqual([paid]);
  forgetAll();
  expect(remember([pending])).toEqual([pending]);
});

test("the newest payment is the one that started last, whatever its id; of the same second, the one with the higher id", () => {
  state.server.value = { default_merchant_id: 1 };
  const payment = (id: number, time: string) => ({
    ...{ id, checkout_request_id: `n${id}`, merchant_id: 1, status: "pending", created_at: `2026-11-20 ${time}` },
  });
  const newest = (...payments: object[]) => {
    remember(payments);
    return state.newestPayment.value?.id;
  };
  expect(newest(payment(40, "10:00:05"))).toBe(40);
  expect(newest(payment(90, "10:00:04"))).toBe(40);
  expect(newest(payment(8, "10:00:06"), payment(7, "10:00:06"))).toBe(8);
});

test("the list has no gap, in the order of time; while it stands still, its rows change in place, and new ones wait", () => {
  state.server.value = { default_merchant_id: 1 };
  const row = (id: number, second: number, status = "completed") => ({
    ...{ id, merchant_id: 1, status, checkout_request_id: `ws_CO_${id}`, created_at: `2026-11-20 10:00:0${second}` },
  });
  const { payments } = state;
  const ids = () =>
    [payments.rows.value, payments.waiting.value].map((rows) => rows.map(({ id }: { id: number }) => id));
  addRows([row(7, 7)]);
  expect(ids()).toEqual([[], []]); // before the first load
  state.answeredSelection.value = state.selection.value;
  payments.replace([row(9, 5), row(8, 4), row(4, 3, "pending")]);
  state.totalItems.value = 4;
  addRows([row(3, 2), row(5, 6), { ...row(11, 7), merchant_id: 2 }]);
  expect(ids()).toEqual([[5, 9, 8, 4], []]); // more than 3 is on the server below 4
  state.totalItems.value = 3;
  addRows([row(3, 2)]);
  expect(ids()).toEqual([[5, 9, 8, 4, 3], []]);
  isHeld.value = true;
  addRows([row(10, 7), row(2, 1), { ...row(8, 4), amount: 2 }]);
  expect(ids()).toEqual([[5, 9, 8, 4, 3, 2], [10]]);
  expect(payments.rows.value[2].amount).toBe(2);
  isHeld.value = false;
  expect(ids()).toEqual([[10, 5, 9, 8, 4, 3, 2], []]);
  // More arrive than can wait: the rows of before would not follow them.
  isHeld.value = true;
  addRows(Array.from({ length: 60 }, (_, index) => row(index + 20, 8)));
  isHeld.value = false;
  expect(ids()).toEqual([Array.from({ length: 50 }, (_, index) => 79 - index), []]);
  // What the filters no longer select leaves, but not under a hand.
  state.route.value = { view: "transactions", selected: null, query: { status: "pending" } };
  payments.replace([row(31, 9, "pending"), row(30, 9, "pending")]);
  isHeld.value = true;
  addRows([row(31, 9)]);
  expect(ids()).toEqual([[31, 30], []]);
  isHeld.value = false;
  expect(ids()).toEqual([[30], []]);
  // The same if some of those that waited have left, so that fewer wait than can.
  isHeld.value = true;
  addRows(Array.from({ length: 60 }, (_, index) => row(index + 40, 9, "pending")));
  addRows([row(99, 9)]);
  isHeld.value = false;
  expect(ids()).toEqual([Array.from({ length: 49 }, (_, index) => 98 - index), []]);
  isHeld.value = true;
  const late = Array.from({ length: 60 }, (_, index) => index + 100);
  addRows(late.map((id) => row(id, 9, "pending")));
  addRows(late.map((id) => row(id, 9)));
  isHeld.value = false;
  expect(ids()).toEqual([Array.from({ length: 49 }, (_, index) => 98 - index), []]);
  state.route.value = { view: null, selected: null, query: {} };
  payments.replace([]);
});

test("a list that has become shorter keeps no more rows than it shows, and at least 50", () => {
  const { payments } = state;
  const rows = (first: number, count: number) => Array.from({ length: count }, (_, index) => ({ id: first - index }));
  const shown = () => payments.rows.value.map(({ id }: { id: number }) => id);
  payments.replace(rows(500, 120));
  payments.add(rows(501, 1));
  expect([shown().length, shown()[0]]).toEqual([120, 501]);
  payments.replace(rows(500, 50));
  payments.add([{ id: 7 }]);
  expect(shown()).toEqual(rows(500, 50).map(({ id }) => id));
  payments.replace([]);
});

test("of more than 200 phones, those that ring and the picked one stay, and then the last ones", () => {
  const phones = Array.from({ length: 210 }, (_, index) => `2547000${1000 + index}`);
  state.phonesSeen.value = phones.slice(0, 3);
  state.prompts.value = new Map([["a", { checkout_request_id: "a", phone: phones[1] }]]);
  state.pickedPhone.value = phones[2];
  addPhones(phones);
  expect(state.phonesSeen.value).toEqual([...phones.slice(1, 3), ...phones.slice(12)]);
  state.phonesSeen.value = [];
  state.prompts.value = new Map();
});

test("of many prompts that end, the phones that are listed show it for 30 s, and the others do not", () => {
  const ended = Array.from({ length: 6000 }, (_, index) => ({
    ...{ checkout_request_id: `e${index}`, phone: `2547001${10_000 + index}`, merchant_id: 1, amount: 5 },
    status: "cancelled",
  }));
  const timers = jest.getTimerCount();
  for (let from = 0; from < ended.length; from += 2000) phones.endPrompts(ended.slice(from, from + 2000));
  expect(jest.getTimerCount() - timers).toBeLessThan(10);
  expect([...state.phoneNotes.value.keys()].toSorted()).toEqual(state.phonesSeen.value.toSorted());
  expect(state.phoneNotes.value.size).toBe(200);
  jest.advanceTimersByTime(29_999);
  expect(state.phoneNotes.value.size).toBe(200);
  jest.advanceTimersByTime(1);
  expect(state.phoneNotes.value.size).toBe(0);
  state.phonesSeen.value = [];
});

test("a refresh that is asked for while another one loads is made after it and after its pause, once", async () => {
  const loading: (() => void)[] = [];
  const refresh = throttled(
    () => 50,
    () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      loading.push(resolve);
      return promise;
    },
  );
  for (let time = 0; time < 3; time += 1) refresh();
  await pass(1000);
  expect(loading).toHaveLength(1);
  loading[0]?.();
  await settle();
  await pass(49);
  expect(loading).toHaveLength(1);
  await pass(1);
  loading[1]?.();
  await settle();
  await pass(1000);
  expect(loading).toHaveLength(2);
});

test("a picked phone stays on the handset for 8 s, and longer while it rings; then others can have it", () => {
  const isPicked = () => state.pickedPhone.value === "254711000002";
  pickPhone("254711000001");
  jest.advanceTimersByTime(7000);
  pickPhone("254711000002"); // its 8 s begin now
  jest.advanceTimersByTime(7999);
  expect(isPicked()).toBe(true);
  state.prompts.value = new Map([["a", { checkout_request_id: "a", phone: "254711000002" }]]);
  jest.advanceTimersByTime(1);
  state.prompts.value = new Map();
  jest.advanceTimersByTime(7999);
  expect(isPicked()).toBe(true);
  jest.advanceTimersByTime(1);
  expect(state.pickedPhone.value).toBe(null);
});
