import { expect, jest, test } from "bun:test";
import { arrivals, pass, phones, settle, startEachTestAnew, state, system } from "./page.ts";

/** What the page shows of what arrives. */

startEachTestAnew();
const { addMessages, addPhones, pickPhone } = phones;
const { addRows, forgetAll, remember, startedAfter } = arrivals;
const { copyText, longMemory, notificationPermission, notify, throttled } = system;

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

test("the list has no gap: an older payment does not enter it, and one that started while it was loaded does", () => {
  state.server.value = { default_merchant_id: 1 };
  const common = { merchant_id: 1, status: "completed", created_at: "2026-11-20 10:00:00" };
  const row = (id: number) => ({ ...common, id, checkout_request_id: `ws_CO_${id}` });
  addRows(remember([row(7)]));
  expect(state.rows.value).toEqual([]); // before the first load
  state.answeredSelection.value = state.selection.value;
  state.rows.value = [row(9), row(8)];
  state.totalItems.value = 5;
  addRows(remember([row(3), row(10), { ...row(11), merchant_id: 2 }]));
  expect(state.rows.value).toEqual([row(10), row(9), row(8)]);
  expect(startedAfter([row(9), row(8)])).toEqual([row(10)]);
  // When all are loaded, an older one has its place.
  state.totalItems.value = 3;
  addRows([row(3)]);
  expect(state.rows.value).toEqual([row(10), row(9), row(8), row(3)]);
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

test("a browser without notifications, storage or clipboard has none of them, and the page goes on", async () => {
  expect(notificationPermission()).toBe("denied");
  notify("0711 000 001 rings", "Demo Shop asks for KES 1.00");
  longMemory.write("theme", "dark");
  expect([longMemory.read("theme"), await copyText("secret")]).toEqual([null, false]);
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
