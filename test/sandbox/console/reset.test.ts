import { expect, test } from "bun:test";
import { ANYTHING, arrivals, holdNext, loading, phones, server, settle, startEachTestAnew, state } from "./page.ts";

/** What the page shows after a reset or a restore: nothing from before. */

startEachTestAnew();
const { loadAll, messages, prompts, story } = loading;
const { pickPhone } = phones;

const prompt = (id: string) => ({ checkout_request_id: id, phone: "254711000004" });
const promptsOf = (...ids: readonly string[]) => ({ ...ANYTHING, total: ids.length, prompts: ids.map(prompt) });
const openPrompts = () => [...state.prompts.value.keys()];

test("a prompt from before a reset does not stay on the shown phone, also if a payment begins while the prompts load", async () => {
  state.prompts.value = new Map([["old", prompt("old")]]);
  expect(state.shownPhone.value).toBe("254711000004");
  const held = holdNext("/prompts", promptsOf("new"));
  void loadAll();
  await settle();
  prompts.refresh();
  await settle();
  held.resolve(Response.json(promptsOf()));
  await settle();
  expect(openPrompts()).toEqual(["new"]);
});

test("a prompt is open whose payment has the id of one that ended before the reset", async () => {
  arrivals.remember([{ ...prompt("again"), status: "cancelled" }]);
  server.answer = async () => Response.json(promptsOf("again"));
  await loadAll();
  expect(openPrompts()).toEqual(["again"]);
});

const OLD = { checkout_request_id: "p", id: 1, status: "completed" };
const NOW = { ...OLD, status: "pending" };
const BEFORE: [what: string, call: string, answer: object, shown: () => unknown][] = [
  ["a prompt", "/prompts", { prompts: [prompt("old")], total: 1 }, () => state.prompts.value.size],
  [
    "a text message",
    "/messages?phone=254711000004",
    { messages: [{ text: "old" }] },
    () => state.messages.value.length,
  ],
  ["the end of a payment", "/transactions/p", { transaction: OLD }, () => state.story.value?.transaction.status],
];
test.each(BEFORE)("%s that was asked for before a reset is not shown after it", async (_, call, answer, shown) => {
  pickPhone("254711000004");
  state.route.value = { view: "transactions", selected: "p", query: {} };
  const held = holdNext(call, { ...ANYTHING, transaction: NOW });
  for (const part of [prompts, messages, story]) part.refresh();
  await settle();
  const loaded = loadAll();
  // As after each reset, nobody has picked a phone; this person does again.
  pickPhone("254711000004");
  await loaded;
  const before = shown();
  held.resolve(Response.json({ ...ANYTHING, ...answer }));
  await settle();
  expect(shown()).toBe(before);
  expect(arrivals.remember([NOW])).toEqual([NOW]);
});

test.each(["/merchants", "/outcomes"])(
  "of two resets, the page is loaded when it is after the last one: %s",
  async (call) => {
    const held = holdNext(call);
    const first = loadAll();
    await settle();
    const last = holdNext("/keys?merchant_id=1");
    const second = loadAll();
    await settle();
    held.resolve(Response.json(ANYTHING));
    expect([await first, state.isLoaded.value]).toEqual([false, false]);
    last.resolve(Response.json(ANYTHING));
    expect([await second, state.isLoaded.value]).toEqual([true, true]);
  },
);

test.each([
  ["not after a reset with a seed, which begins the ids again", "shop", 2, []],
  ["after a reset without a seed", null, 2, ["late"]],
  ["before a reset", "shop", 1, ["late"]],
])("the ids of a finding mark requests and payments: %s", async (_, seed, chapters, kinds) => {
  const example = { request_ids: [1], checkout_request_id: "p" };
  const findings = [{ ...example, kind: "late", examples: [example] }];
  const requests = [{ id: 1, target: "/v2/stkpush.php", checkout_request_id: "p" }];
  server.answer = async () => Response.json({ ...ANYTHING, seed, chapters, findings, requests });
  await loadAll();
  const kindsOf = (found: readonly { kind: string }[] = []) => found.map(({ kind }) => kind);
  expect(kindsOf(state.callFindings.value.get(1))).toEqual(kinds);
  expect(kindsOf(state.paymentFindings.value.get("p"))).toEqual(kinds);
  expect(kindsOf(state.findings.value)).toEqual(["late"]);
});

test("the snapshots are loaded with everything else: somebody else may have saved them", async () => {
  server.answer = async () => Response.json({ ...ANYTHING, snapshots: [{ name: "prepared" }] });
  await loadAll();
  expect(state.snapshots.value).toEqual([{ name: "prepared" }]);
});
