import { beforeEach, expect, test } from "bun:test";

// The state of the page reads its address when it is loaded. A variable, because the page has types of its own.
Object.assign(globalThis, { location: { hash: "" } });
const folder = "../../../sandbox/console/browser";
const { addMessages, forgetAll } = await import(`${folder}/arrivals.ts`);
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
