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
export const { api } = await import(`${folder}/api.ts`);
export const phones = await import(`${folder}/phones.ts`);
export const arrivals = await import(`${folder}/arrivals.ts`);
export const loading = await import(`${folder}/loading.ts`);
export const state = await import(`${folder}/state.ts`);
export const { isHeld, LiveList } = await import(`${folder}/live-list.ts`);
export const sync = await import(`${folder}/sync.ts`);
export const system = await import(`${folder}/system.ts`);
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
  ...{ requests: [], next: null, messages: [], total: 0, prompts: [], findings: [], transactions: [], snapshots: [] },
  ...{ pagination: { total_items: 0 }, every_status: {} },
};

/** Before each test of a file nothing is known, and the time stands still. */
export function startEachTestAnew(): void {
  const fetched = spyOn(globalThis, "fetch");
  beforeAll(() => {
    fetched.mockImplementation(((path: string, init: RequestInit) => {
      server.asked.push(path);
      return server.answer(path, init);
    }) as typeof fetch);
  });
  beforeEach(() => {
    arrivals.forgetAll();
    jest.useFakeTimers();
    server.asked.splice(0);
  });
  afterEach(() => {
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
