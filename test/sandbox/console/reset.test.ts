import { expect, jest, test } from "bun:test";
import { ANYTHING, arrivals, loading, pass, server, settle, startEachTestAnew, state } from "./page.ts";

/** What the page shows after a reset or a restore: nothing from before. */

startEachTestAnew();
const { loadAll, refreshPrompts, refreshStory, reload } = loading;

/** Holds the next answer to a call; the others are answered. */
function holdNext(call: string, others: object = ANYTHING): PromiseWithResolvers<Response> {
  const held = Promise.withResolvers<Response>();
  let isAsked = false;
  server.answer = async (path) => {
    if (path !== `/_momo${call}` || isAsked) return Response.json(others);
    isAsked = true;
    return held.promise;
  };
  return held;
}

const prompt = (id: string) => ({ checkout_request_id: id, phone: "254711000004" });
const promptsOf = (...ids: readonly string[]) => ({ ...ANYTHING, total: ids.length, prompts: ids.map(prompt) });
const openPrompts = () => [...state.prompts.value.keys()];

test("a prompt from before a reset does not stay on the shown phone, also if a payment begins while the prompts load", async () => {
  state.prompts.value = new Map([["old", prompt("old")]]);
  expect(state.shownPhone.value).toBe("254711000004");
  const held = holdNext("/prompts", promptsOf("new"));
  void loadAll();
  await settle();
  refreshPrompts();
  await settle();
  held.resolve(Response.json(promptsOf()));
  await settle();
  expect(openPrompts()).toEqual(["new"]);
  state.prompts.value = new Map();
  jest.advanceTimersByTime(1000);
});

test("prompts that were asked for before a reset are not shown after it", async () => {
  const held = holdNext("/prompts");
  refreshPrompts();
  await settle();
  const facts = holdNext("/server");
  const loaded = loadAll();
  held.resolve(Response.json(promptsOf("old")));
  await settle();
  expect(openPrompts()).toEqual([]);
  facts.resolve(Response.json(ANYTHING));
  await loaded;
  jest.advanceTimersByTime(1000);
});

test.each([
  ["a story", () => Response.json({ transaction: { checkout_request_id: "p", id: 1, status: "completed" } })],
  ["a refusal", () => Response.json({ message: "no payment has this id" }, { status: 404 })],
])("%s that was asked for before a reset does not say how a later payment with the same id ends", async (_, late) => {
  const now = { checkout_request_id: "p", id: 1, status: "pending" };
  const held = holdNext("/transactions/p", { ...ANYTHING, transaction: now });
  state.route.value = { view: "transactions", selected: "p", query: {} };
  refreshStory();
  await settle();
  await loadAll();
  held.resolve(late());
  await settle();
  expect([state.story.value, state.storyProblem.value]).toEqual([null, null]);
  expect(arrivals.remember([now])).toEqual([now]);
  await pass(400);
  expect(state.story.value?.transaction).toEqual(now);
  state.route.value = { view: "transactions", selected: null, query: {} };
  jest.advanceTimersByTime(400);
});

test.each([
  ["not after a reset with a seed, which begins the ids again", "shop", 2, []],
  ["after a reset without a seed", null, 2, ["late"]],
  ["before a reset", "shop", 1, ["late"]],
])("the ids of a finding mark requests and payments: %s", async (_, seed, chapters, kinds) => {
  const example = { request_ids: [1], checkout_request_id: "p" };
  const findings = [{ ...example, kind: "late", examples: [example] }];
  const requests = [{ id: 1, target: "/v2/stkpush.php", body: null, answer: { checkout_request_id: "p" } }];
  server.answer = async () => Response.json({ ...ANYTHING, seed, chapters, findings, requests });
  await loadAll();
  const kindsOf = (found: readonly { kind: string }[] = []) => found.map(({ kind }) => kind);
  expect(kindsOf(state.callFindings.value.get(1))).toEqual(kinds);
  expect(kindsOf(state.paymentFindings.value.get("p"))).toEqual(kinds);
  expect(kindsOf(state.findings.value)).toEqual(["late"]);
});

test("merchants that come after those of a later load are not shown", async () => {
  const held = holdNext("/merchants", { ...ANYTHING, merchants: [{ id: 1 }, { id: 2 }] });
  const first = reload.registry();
  await reload.registry();
  held.resolve(Response.json({ ...ANYTHING, merchants: [{ id: 1 }] }));
  await first;
  expect(state.merchants.value).toEqual([{ id: 1 }, { id: 2 }]);
});

test("the snapshots are loaded with everything else: somebody else may have saved them", async () => {
  server.answer = async () => Response.json({ ...ANYTHING, snapshots: [{ name: "prepared" }] });
  await loadAll();
  expect(state.snapshots.value).toEqual([{ name: "prepared" }]);
});
