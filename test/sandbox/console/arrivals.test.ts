import { expect, jest, test } from "bun:test";
import { arrivals, isHeld, LiveList, pass, phones, settle, startEachTestAnew, state, system } from "./page.ts";

/** What the page shows of what arrives. */

startEachTestAnew();
const { endPrompts, pickPhone } = phones;
const { forgetAll, remember } = arrivals;
const { throttled } = system;

test("a payment that has ended stays ended when an older list comes, until all is forgotten", () => {
  const [pending, paid] = ["pending", "completed"].map((status) => ({ checkout_request_id: "a", id: 1, status }));
  remember([paid]);
  expect(remember([pending])).toEqual([paid]);
  forgetAll();
  expect(remember([pending])).toEqual([pending]);
});

test("while a list stands still, its rows change in place, and new ones wait, in the order of time", () => {
  const row = (id: number, second: number, status = "completed") => ({
    ...{ id, status, created_at: `2026-11-20 10:00:0${second}` },
  });
  const list = new LiveList();
  const ids = () => [list.rows.value, list.waiting.value].map((rows) => rows.map(({ id }: { id: number }) => id));
  isHeld.value = true;
  list.newest.value = [row(9, 5), row(8, 4, "pending")];
  expect(ids()).toEqual([[9, 8], []]);
  // A replica has given a lower id to a later payment.
  list.newest.value = [row(5, 6), row(9, 5), row(8, 4, "pending")];
  list.change([row(8, 4), row(7, 3)]);
  expect(ids()).toEqual([[9, 8], [5]]);
  expect(list.rows.value[1].status).toBe("completed");
  list.showWaiting();
  expect(ids()).toEqual([[5, 9, 8], []]);
  list.newest.value = [row(10, 7)];
  expect(ids()).toEqual([[5, 9, 8], [10]]);
  isHeld.value = false;
  expect(ids()).toEqual([[10], []]);
  isHeld.value = true;
  list.replace([row(3, 1)]);
  expect(ids()).toEqual([[3], []]);
  isHeld.value = false;
});

test("rows that were opened below the newest stay open, as many as were shown, unless rows between them are missing", () => {
  const list = new LiveList();
  const rows = (...ids: readonly number[]) => ids.map((id) => ({ id }));
  const ids = () => list.rows.value.map(({ id }: { id: number }) => id);
  list.newest.value = rows(9, 8);
  list.rows.value = rows(9, 8, 7, 6);
  list.newest.value = rows(10, 9);
  expect(ids()).toEqual([10, 9, 8, 7]);
  list.newest.value = rows(14, 13);
  expect(ids()).toEqual([14, 13]);
});

test("the phone on the handset shows for 30 s how its prompt ended, until its next prompt; others do not", () => {
  const [shown, other] = ["254711000001", "254711000002"];
  pickPhone(shown);
  const end = (phone: string | undefined, status: string) =>
    endPrompts([{ checkout_request_id: "e", merchant_id: 1, amount: 5, phone, status }]);
  const title = () => state.endNote.value?.title;
  end(other, "completed");
  expect(title()).toBeUndefined();
  end(shown, "cancelled");
  jest.advanceTimersByTime(29_000);
  expect(title()).toBe("Cancelled");
  end(shown, "expired"); // its 30 s begin now
  jest.advanceTimersByTime(29_999);
  expect(title()).toBe("Too late");
  jest.advanceTimersByTime(1);
  expect(title()).toBeUndefined();
  end(state.shownPhone.value, "cancelled");
  end(state.shownPhone.value, "pending");
  expect(title()).toBeUndefined();
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
