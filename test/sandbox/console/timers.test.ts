import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { turns } from "../../support/waiting.ts";

jest.useFakeTimers();
// The state of the page reads its address when it is loaded. A variable, because the page has types of its own.
Object.assign(globalThis, {
  location: { hash: "", pathname: "/_momo/" },
  requestAnimationFrame: () => 0,
  cancelAnimationFrame: () => {},
});
const folder = "../../../sandbox/console/browser";
const { pickPhone } = await import(`${folder}/actions.ts`);
const { refreshStory } = await import(`${folder}/loading.ts`);
const state = await import(`${folder}/state.ts`);
const { follow } = await import(`${folder}/sync.ts`);
jest.useRealTimers();

/** The answer of the server, which a test gives. */
type Answer = (path: string, init: RequestInit) => Promise<Response>;
let answer: Answer;
const asked: string[] = [];
const fetched = spyOn(globalThis, "fetch");

beforeAll(() => {
  fetched.mockImplementation(((path: string, init: RequestInit) => {
    asked.push(path);
    return answer(path, init);
  }) as typeof fetch);
});
beforeEach(() => {
  jest.useFakeTimers();
  asked.splice(0);
});
afterEach(() => {
  jest.useRealTimers();
});
afterAll(() => fetched.mockRestore());

/** Streams and answers need turns of the event loop. */
const settle = () => turns(10);

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

test.each([
  ["a story", () => Response.json({ transaction: { checkout_request_id: "a" } })],
  ["a refusal", () => Response.json({ message: "no payment has this id" }, { status: 404 })],
])("%s that comes late is not shown in the place of another payment's", async (_, late) => {
  const held = Promise.withResolvers<Response>();
  const second = { transaction: { checkout_request_id: "b" } };
  answer = (path) => (path.endsWith("/a") ? held.promise : Promise.resolve(Response.json(second)));
  const open = (selected: string) => {
    state.route.value = { view: "transactions", selected, query: {} };
    refreshStory();
  };
  for (const id of ["a", "b"]) open(id);
  held.resolve(late());
  await settle();
  expect([state.story.value, state.storyProblem.value]).toEqual([null, null]);
  jest.advanceTimersByTime(400);
  await settle();
  expect(state.story.value).toEqual(second);
  expect(asked).toEqual(["/_momo/transactions/a", "/_momo/transactions/b"]);
  state.story.value = null;
  jest.advanceTimersByTime(400);
});

test("a stream of events is dead after 40 s without a sign of life; the page follows another one, and shows the end of a prompt for a while", async () => {
  const opened: ReadableStreamDefaultController<Uint8Array>[] = [];
  answer = async (path, { signal }) => {
    if (path !== "/_momo/events") return new Response("", { status: 503 });
    const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      opened.push(controller);
      signal?.addEventListener("abort", () => controller.error(signal.reason));
    };
    return new Response(new ReadableStream({ start }));
  };
  void follow();
  await settle();
  jest.advanceTimersByTime(30_000);
  opened[0]?.enqueue(Buffer.from(": momo\n\n"));
  await settle();
  jest.advanceTimersByTime(39_999);
  await settle();
  expect([state.connection.value, opened.length]).toEqual(["connecting", 1]);
  jest.advanceTimersByTime(1);
  await settle();
  expect(state.connection.value).toBe("lost");
  jest.advanceTimersByTime(250);
  await settle();
  expect(opened).toHaveLength(2);
  // Of what arrives together, only what comes after a reset counts.
  const events = [
    ["request", { id: 1 }],
    ["steering", { what: "reset" }],
    ["request", { id: 2 }],
  ].map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  opened[1]?.enqueue(Buffer.from(events.join("")));
  await settle();
  jest.advanceTimersByTime(1000);
  await settle();
  expect(state.requests.value).toEqual([{ id: 2 }]);
  jest.advanceTimersByTime(50); // between two frames with events
  // The end of a prompt is on the handset for 4 s, and on the phone for 30 s.
  const payment = { phone: "254711000003", amount: 5, created_at: "2026-11-20 10:00:00" };
  const end = async (checkout_request_id: string, status: string) => {
    const ended = { ...payment, checkout_request_id, status };
    state.prompts.value = new Map([[checkout_request_id, { ...ended, business: "Duka" }]]);
    opened[1]?.enqueue(Buffer.from(`event: transaction\ndata: ${JSON.stringify(ended)}\n\n`));
    await settle();
    jest.advanceTimersByTime(250); // the next frame of a hidden page
    await settle();
  };
  state.phonesSeen.value = [payment.phone];
  await end("c", "cancelled");
  const shown = () => [state.pickedPhone.value, state.phoneNotes.value.get(payment.phone)?.title];
  expect(shown()).toEqual([payment.phone, "Cancelled"]);
  jest.advanceTimersByTime(3999);
  expect(shown()).toEqual([payment.phone, "Cancelled"]);
  jest.advanceTimersByTime(1);
  expect(shown()).toEqual([null, "Cancelled"]);
  // The end of another prompt there has its own time.
  jest.advanceTimersByTime(20_000);
  await end("d", "expired");
  jest.advanceTimersByTime(250);
  await settle();
  for (const [passedMs, title] of [
    [29_000, "Too late"],
    [1000, undefined],
  ] as const) {
    jest.advanceTimersByTime(passedMs);
    expect(state.phoneNotes.value.get(payment.phone)?.title).toBe(title);
  }
});
