import { afterAll, afterEach, beforeAll, beforeEach, jest, spyOn } from "bun:test";
import { turns } from "../../support/waiting.ts";

/** The state of the page without a browser, its server and its time. */

jest.useFakeTimers();
// The state of the page reads its address when it is loaded. A variable, because the page has types of its own.
Object.assign(globalThis, {
  location: { hash: "", pathname: "/_momo/", hostname: "localhost" },
  document: Object.assign(new EventTarget(), { hidden: false }),
});
const folder = "../../../sandbox/console/browser";
export const { api, tokenAsked } = await import(`${folder}/api.ts`);
export const phones = await import(`${folder}/phones.ts`);
export const arrivals = await import(`${folder}/arrivals.ts`);
export const asking = await import(`${folder}/asking.ts`);
export const loading = await import(`${folder}/loading.ts`);
export const state = await import(`${folder}/state.ts`);
export const { isHeld, LiveList } = await import(`${folder}/live-list.ts`);
export const { throttled } = await import(`${folder}/system.ts`);
jest.useRealTimers();

type Answer = (path: string, init: RequestInit) => Promise<Response>;

/** The server of the page, whose answers a test gives. */
export const server: { answer: Answer; readonly asked: string[] } = {
  answer: () => Promise.reject(new Error("no answer was given")),
  asked: [],
};

/** An answer to every call that the page makes when it loads. */
export const ANYTHING = {
  ...{ success: true, message: "", default_merchant_id: 1, base_url: "http://127.0.0.1/v2", now_ms: 0, frozen: true },
  ...{ merchants: [], accounts: [], keys: [], outcomes: [], rules: [], faults: [], webhook: null, deliveries: [] },
  ...{ requests: [], messages: [], total: 0, prompts: [], findings: [], transactions: [], snapshots: [] },
  ...{ pagination: { total_items: 0 }, every_status: {}, transaction: {} },
};

/** Holds the next answer to a call, and answers all others with {@link ANYTHING}. */
export function holdNext(call: string, others: object = ANYTHING): PromiseWithResolvers<Response> {
  const held = Promise.withResolvers<Response>();
  let isAsked = false;
  server.answer = async (path) => {
    if (path !== `/_momo${call}` || isAsked) return Response.json(others);
    isAsked = true;
    return held.promise;
  };
  return held;
}

/** Before each test of a file nothing is known and nothing is open, and the time stands still. */
export function startEachTestAnew(): void {
  const fetched = spyOn(globalThis, "fetch");
  beforeAll(() => {
    fetched.mockImplementation(((path: string, init: RequestInit) => {
      server.asked.push(path);
      return server.answer(path, init);
    }) as typeof fetch);
  });
  beforeEach(() => {
    jest.useFakeTimers();
    state.route.value = { view: "transactions", selected: null, query: {} };
    asking.beginAnew();
    arrivals.forgetPayments();
    state.pickedPhone.value = null;
    server.asked.splice(0);
  });
  afterEach(async () => {
    // The pauses between two questions end.
    server.answer = async () => Response.json(ANYTHING);
    asking.isLoaded.value = false;
    for (let time = 0; time < 3; time += 1) await pass(1000);
    jest.useRealTimers();
  });
  afterAll(() => fetched.mockRestore());
}

/** Streams and answers need turns of the event loop. */
export const settle = () => turns(10);

export function pass(durationMs: number): Promise<void> {
  jest.advanceTimersByTime(durationMs);
  return settle();
}
