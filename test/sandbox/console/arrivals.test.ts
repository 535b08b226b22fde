import { beforeEach, expect, test } from "bun:test";

// The state of the page reads its address when it is loaded. A variable, because the page has types of its own.
Object.assign(globalThis, { location: { hash: "" } });
const folder = "../../../sandbox/console/browser";
const { addMessages, addPhones, addRows, forgetAll, remember, removeNote, startedAfter } = await import(
  `${folder}/arrivals.ts`
);
const state = await import(`${folder}/state.ts`);

beforeEach(forgetAll);

const message = (checkout_request_id: string, at_ms: number) => ({
  checkout_request_id,
  at_ms,
  phone: "254700000001",
  text: "Confirmed.",
});
const shown = () => state.messages.value.map((one: ReturnType<typeof message>) => one.checkout_request_id);

test("messages of phones are newest first, in whatever order they come, and each is there once", () => {
  addMessages([message("b", 2000)]);
  addMessages([message("a", 1000), message("d", 4000)]);
  addMessages([message("c", 3000), message("a", 1000)]);
  expect(shown()).toEqual(["d", "c", "b", "a"]);
});

test("of more messages than are kept, the newest stay", () => {
  addMessages(Array.from({ length: state.MOST_MESSAGES + 2 }, (_, index) => message(`m${index}`, index)));
  expect(shown()).toHaveLength(state.MOST_MESSAGES);
  expect([shown()[0], shown().at(-1)]).toEqual([`m${state.MOST_MESSAGES + 1}`, "m2"]);
});

test("a payment that has ended stays ended when an older list comes, until all is forgotten", () => {
  const [pending, paid] = ["pending", "completed"].map((status) => ({ checkout_request_id: "a", id: 1, status }));
  remember([paid]);
  expect(remember([pending])).toEqual([paid]);
  forgetAll();
  expect(remember([pending])).toEqual([pending]);
});

test("the list has no gap: an older payment does not enter it, and one that started while it was loaded does", () => {
  state.server.value = { default_merchant_id: 1 };
  const common = { merchant_id: 1, status: "completed", created_at: "2026-11-20 10:00:00" };
  const row = (id: number) => ({ ...common, id, checkout_request_id: `ws_CO_${id}` });
  state.rows.value = [row(9), row(8)];
  state.totalItems.value = 5;
  addRows(remember([row(3), row(10)]));
  expect(state.rows.value).toEqual([row(10), row(9), row(8)]);
  expect(startedAfter([row(9), row(8)])).toEqual([row(10)]);
  // When all are loaded, an older one has its place.
  state.totalItems.value = 3;
  addRows([row(3)]);
  expect(state.rows.value).toEqual([row(10), row(9), row(8), row(3)]);
});

test("the timer of an older note leaves a newer one; OK removes the one that is shown", () => {
  const [older, newer] = [{ title: "Paid" }, { title: "Cancelled" }];
  state.phoneNotes.value = new Map([
    ["254700000001", newer],
    ["254700000002", older],
  ]);
  removeNote("254700000001", older);
  expect(state.phoneNotes.value.size).toBe(2);
  removeNote("254700000001");
  expect([...state.phoneNotes.value.keys()]).toEqual(["254700000002"]);
  removeNote("254700000002", older);
  expect(state.phoneNotes.value.size).toBe(0);
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
