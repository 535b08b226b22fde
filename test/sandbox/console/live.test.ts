import { expect, jest, test } from "bun:test";
import { rejectionOf } from "../../support/waiting.ts";
import { ANYTHING, api, arrivals, loading, pass, server, settle, startEachTestAnew, state, sync } from "./page.ts";

/** What the page loads from its server, in the course of time. */

startEachTestAnew();
const { loadAll, loadMore, prompts, rows, story } = loading;
const { follow } = sync;

/** An answer to a page of the list. */
const listed = (ids: readonly number[], total = ids.length) =>
  Response.json({
    transactions: ids.map((id) => ({ id, checkout_request_id: `ws_CO_${id}` })),
    ...{ pagination: { total_items: total }, every_status: {} },
  });
const shownIds = () => state.payments.rows.value.map(({ id }: { id: number }) => id);

/** Asks for the newest rows, as each event does. */
async function refresh(): Promise<void> {
  rows.refresh();
  await settle();
}

test("as many rows as a page has are added, also if new payments have moved the last row to the middle of a page, or others have left", async () => {
  let newest = 200;
  server.answer = async (path) => {
    const from = newest - (Number(/[?&]page=(\d+)/.exec(path)?.[1]) - 1) * 50;
    const ids = Array.from({ length: Math.max(0, Math.min(50, from)) }, (_, index) => from - index);
    return listed(ids, newest);
  };
  await refresh();
  newest = 270;
  await loadMore();
  expect(shownIds()).toEqual(Array.from({ length: 100 }, (_, index) => 200 - index));
  newest = 120; // so that the next rows are on the page of those before
  await loadMore();
  expect(shownIds()).toEqual(Array.from({ length: 150 }, (_, index) => 200 - index));
  for (let time = 0; time < 2; time += 1) await loadMore();
  expect(shownIds()).toEqual(Array.from({ length: 200 }, (_, index) => 200 - index));
});

test.each([
  ["that was loaded again meanwhile", () => loadAll()],
  ["of another search", () => search("pear")],
])("more rows that come late are not added to a list %s", async (_, loadOthers) => {
  state.route.value = { view: "transactions", selected: null, query: {} };
  server.answer = async () => listed([9, 8], 3);
  await refresh();
  const held = Promise.withResolvers<Response>();
  server.answer = () => held.promise;
  void loadMore();
  await settle();
  server.answer = async (path) => (path.includes("/transactions") ? listed([5], 1) : Response.json(ANYTHING));
  await loadOthers();
  held.resolve(listed([9, 8, 4], 3));
  await settle();
  expect([shownIds(), state.totalItems.value]).toEqual([[5], 1]);
});

async function search(text: string): Promise<void> {
  state.route.value = { view: "transactions", selected: null, query: { search: text } };
  rows.refresh();
  await pass(400);
}

test.each([
  ["no answer", "the server does not answer", () => Promise.reject(new Error("no route"))],
  ["an error page of a proxy", "the server answers HTTP 502", () => new Response("<h1>Bad</h1>", { status: 502 })],
  ["a log-in page of a proxy", "the server does not answer", () => new Response("<h1>Log in</h1>")],
])("%s is a refusal: %s", async (_, message, answered) => {
  server.answer = async () => answered();
  expect(await rejectionOf(api.get("/rules"))).toMatchObject({ message });
});

test.each(["get", "blob"])("a body that breaks off is a refusal: api.%s", async (read) => {
  server.answer = async () => new Response(new ReadableStream({ pull: (body) => body.error(new Error("reset")) }));
  expect(await rejectionOf(api[read]("/rules"))).toMatchObject({ message: "the server does not answer" });
});

test("a story that is older than the event of the end does not set its row back", async () => {
  const [pending, paid] = ["pending", "completed"].map((status) => ({ id: 1, checkout_request_id: "p", status }));
  state.payments.replace([pending]);
  const held = Promise.withResolvers<Response>();
  server.answer = () => held.promise;
  state.route.value = { view: "transactions", selected: "p", query: {} };
  story.refresh();
  await settle();
  state.payments.change(arrivals.remember([paid]));
  held.resolve(Response.json({ transaction: pending }));
  await settle();
  expect(state.payments.rows.value).toEqual([paid]);
});

test("a prompt that ends while the prompts are loaded is not open, however many others end meanwhile", async () => {
  const prompt = (id: string) => ({ checkout_request_id: id, phone: "254711000009" });
  const held = Promise.withResolvers<Response>();
  server.answer = () => held.promise;
  prompts.refresh();
  await settle();
  for (let index = 0; index < 3000; index += 1) {
    arrivals.remember([{ checkout_request_id: `e${index}`, status: "completed" }]);
  }
  held.resolve(Response.json({ total: 2, prompts: [prompt("e0"), prompt("open")] }));
  await settle();
  expect([...state.prompts.value.keys()]).toEqual(["open"]);
  state.prompts.value = new Map();
  jest.advanceTimersByTime(1000);
});

test.each([
  ["stays until the event of its end", "live", ["old", "new"]],
  ["goes from a hidden tab, which has no events", "connecting", ["new"]],
])("a prompt of the shown phone that is no longer listed %s", async (_, connection, open) => {
  const prompt = (id: string) => ({ checkout_request_id: id, phone: "254711000009" });
  state.connection.value = connection;
  state.prompts.value = new Map([["old", prompt("old")]]);
  server.answer = async () => Response.json({ total: 1, prompts: [prompt("new")] });
  expect(state.shownPhone.value).toBe("254711000009");
  await prompts.load();
  expect([...state.prompts.value.keys()]).toEqual(open);
  state.connection.value = "connecting";
});

test("a thousand prompts are loaded again after a second: those of payments of 3 s are seen, too", async () => {
  const open = Array.from({ length: 1000 }, (_, index) => ({ checkout_request_id: `w${index}`, phone: "2547" }));
  server.answer = async () => Response.json({ total: 1264, prompts: open });
  prompts.refresh();
  await settle();
  expect([state.prompts.value.size, state.promptsLeftOut.value]).toEqual([1000, 264]);
  prompts.refresh();
  await pass(999);
  expect(server.asked).toHaveLength(1);
  server.answer = async () => Response.json({ total: 0, prompts: [] });
  await pass(1);
  expect(server.asked).toHaveLength(2);
  state.prompts.value = new Map();
  jest.advanceTimersByTime(1000); // those of the shown phone stayed
});

test("the log has also the requests before the last 200", async () => {
  const pageBefore = (before: number) => ({
    requests: Array.from({ length: 200 }, (_, index) => ({ id: before - 200 + index })),
    next: before > 401 ? "more" : null,
  });
  server.answer = async (path) => {
    const [, before = 601] = /before=(\d+)/.exec(path) ?? [];
    return Response.json({ ...ANYTHING, ...(path.includes("/requests") && pageBefore(Number(before))) });
  };
  await loadAll();
  expect(state.requests.rows.value.map(({ id }: { id: number }) => id)).toEqual(
    Array.from({ length: 400 }, (_, index) => 600 - index),
  );
});

test("a stream of events is dead after 25 s without a sign of life; the page follows another one, and shows the end of a prompt for a while", async () => {
  const opened: ReadableStreamDefaultController<Uint8Array>[] = [];
  const rules = Promise.withResolvers<Response>();
  let isHeld = false;
  server.answer = async (path, { signal }) => {
    if (path === "/_momo/rules" && isHeld) return rules.promise;
    if (path !== "/_momo/events") return Response.json(ANYTHING);
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      opened.push(controller);
      signal?.addEventListener("abort", () => controller.error(signal.reason));
    };
    return new Response(new ReadableStream({ start }));
  };
  const send = (...events: [name: string, data: object][]) => {
    const texts = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
    opened.at(-1)?.enqueue(Buffer.from(texts.join("")));
    return settle();
  };
  state.route.value = { view: null, selected: null, query: {} };
  void follow();
  await settle();
  jest.advanceTimersByTime(20_000);
  opened[0]?.enqueue(Buffer.from(": momo\n\n"));
  await settle();
  await pass(24_999);
  expect([state.connection.value, opened.length]).toEqual(["live", 1]);
  await pass(1);
  expect(state.connection.value).toBe("lost");
  await pass(250);
  expect(opened).toHaveLength(2);
  // Of what arrives together, only what comes after a reset counts.
  await send(["request", { id: 1 }], ["steering", { what: "reset" }], ["request", { id: 2 }]);
  await pass(1000);
  expect(state.requests.rows.value).toEqual([{ id: 2 }]);
  jest.advanceTimersByTime(50); // between two frames with events
  isHeld = true;
  server.asked.splice(0);
  // However many changes come while the rules are loaded, they are loaded once more.
  for (let time = 0; time < 5; time += 1) {
    await send(["steering", { what: "rules" }]);
    await pass(300);
  }
  rules.resolve(Response.json({ rules: [] }));
  for (let time = 0; time < 5; time += 1) await pass(300);
  expect(server.asked.filter((path) => path === "/_momo/rules")).toHaveLength(2);
  // The end of a prompt stays on the handset for 4 s.
  const payment = { phone: "254711000003", amount: 5, created_at: "2026-11-20 10:00:00", checkout_request_id: "c" };
  state.prompts.value = new Map([["c", { ...payment, business: "Duka" }]]);
  // A list without it may come before the event of its end.
  prompts.refresh();
  await settle();
  await send(["transaction", { ...payment, status: "cancelled" }]);
  expect([state.pickedPhone.value, state.endNote.value?.title]).toEqual([payment.phone, "Cancelled"]);
  jest.advanceTimersByTime(3999);
  expect(state.pickedPhone.value).toBe(payment.phone);
  jest.advanceTimersByTime(1);
  expect([state.pickedPhone.value, state.endNote.value?.title]).toEqual([null, "Cancelled"]);
});
