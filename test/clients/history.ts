import { assemble } from "../../cli/serving/assemble.ts";
import { createVirtualClock } from "../../sandbox/network/clock.ts";
import { seededChance } from "../../src/domain/random.ts";
import { sqlite } from "../support/engines.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { seededRandom } from "../support/random.ts";
import { HOST, USUAL } from "../support/scene.ts";
import { addCaller, START_MS } from "../support/service.ts";
import { nextTurn } from "../support/waiting.ts";

/** Drawn histories of the client in clients/client.mjs against the assembled sandbox, in a time that goes from event to event. */

export interface Result {
  readonly status: string;
}

/** Orders that outlive the process of the client. */
export interface Orders {
  add(key: string, order: object): object | null;
  get(key: string): object | null;
  set(key: string, order: object): void;
  remove(key: string): void;
}

/** The client, as far as a history uses it. */
export interface ClientModule {
  createClient(options: object): { pay(reference: string, phone: string, amount: number): Promise<Result> };
}

const FAULTS: readonly (object | null)[] = [
  { kind: "error", status: 503 },
  { kind: "error", status: 503, carried_out: true },
  { kind: "error", status: 429 },
  { kind: "error", status: 502, body: "<html>Bad gateway</html>", content_type: "text/html" },
  { kind: "error", status: 200, carried_out: true, cut_after: 20 },
  { kind: "error", status: 200, body: "<html>Welcome</html>", content_type: "text/html", carried_out: true },
  { kind: "disconnect" },
  { kind: "delay", delay: "2s" },
  { kind: "delay", delay: "15s" },
  { kind: "delay", delay: "150s" },
];
const OUTCOMES = ["completed", "completed_late", "wrong_pin", "cancelled", "expired", "silent", "unreachable"];
const REFERENCES = ["ORDER-1", "ORDER-10", "1001", "A+B & C%#"];
const KNOWN = ["completed", "failed", "cancelled", "expired", "not_started"];
const CLIENT_TIMEOUT_MS = 10_000;
/** After so many turns of the event loop nothing happens without time. */
const QUIET_TURNS = 6;

/** @throws Error that says what is wrong, if the client makes a mistake in the history of this seed */
export async function live(seed: number, { createClient }: ClientModule): Promise<void> {
  const chance = seededChance(seed);
  const draw = (bound: number) => Math.floor(chance() * bound);
  const pick = <T>(items: readonly T[]) => items[draw(items.length)] as T;
  const place = await sqlite.newPlace();
  const store = await place.open();
  const realClock = createManualClock(START_MS);
  const clock = createVirtualClock(realClock);
  const errors: unknown[] = [];
  const sandbox = assemble({
    ...USUAL,
    ...{ store, clock, realClock, stopwatch: realClock.nowMs, random: seededRandom(seed), rememberClock: () => {} },
    reportFault: (error) => void errors.push(error),
  });
  const caller = await addCaller(sandbox.service, "Shop");
  const control = async (method: string, path: string, json?: object) => {
    const body = json && { body: JSON.stringify(json) };
    const headers = { Host: HOST, "Content-Type": "application/json" };
    const answer = await sandbox.handle(new Request(`http://${HOST}/_momo${path}`, { method, headers, ...body }));
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text);
  };
  const after = (ms: number, happen: () => void) => void realClock.alarm(realClock.nowMs() + ms, happen);

  let rate = pick([0, 0.1, 0.3, 0.6]);
  /** Faults are set for one request at a time. */
  let turn: Promise<unknown> = Promise.resolve();
  async function reach(url: string, init: RequestInit): Promise<Response> {
    const before = turn;
    const { promise, resolve: pass } = Promise.withResolvers<void>();
    turn = promise;
    await before;
    const fault = chance() < rate ? pick(FAULTS) : null;
    await control("PUT", "/faults", { faults: fault ? [{ ...fault, times: 1 }] : [] });
    const { method, headers, body } = init;
    const sent = { ...(headers as Record<string, string>), Host: HOST };
    const answer = sandbox.handle(new Request(url, { method, headers: sent, body: body ?? null } as RequestInit));
    void Promise.race([answer.catch(() => {}), turns(4)]).then(() => pass());
    const came = await answer;
    if ((fault as { kind?: string } | null)?.kind === "disconnect") throw new TypeError("the connection was lost");
    return came;
  }

  const kept = new Map<string, string>();
  const read = (key: string) => JSON.parse(kept.get(key) ?? "null");
  const orders: Orders = {
    get: read,
    add(key, order) {
      const known = read(key);
      if (known === null) kept.set(key, JSON.stringify(order));
      return known;
    },
    set: (key, order) => void kept.set(key, JSON.stringify(order)),
    remove: (key) => void kept.delete(key),
  };

  /** A process with the client. After its end nothing of it goes on. */
  function startClient() {
    let isDead = false;
    const never = new Promise<never>(() => {});
    const alive = <T>(promise: Promise<T>): Promise<T> =>
      promise.then(
        (value) => (isDead ? never : value),
        (error: Error) => (isDead ? never : Promise.reject(error)),
      );
    const sleep = (ms: number) =>
      alive(
        new Promise<void>((resolve) => {
          after(ms, resolve);
        }),
      );
    const client = createClient({
      ...{ baseUrl: `http://${HOST}/v2`, apiKey: caller.key.apiKey, apiSecret: caller.key.apiSecret },
      ...{ paymentAccountId: caller.accountId, store: orders, now: clock.nowMs, sleep },
      fetch(url: string, init: RequestInit) {
        const late = new Promise<never>((_, reject) => {
          after(CLIENT_TIMEOUT_MS, () => reject(new Error("timed out")));
        });
        return alive(Promise.race([reach(url, init), late]));
      },
    });
    return { pay: client.pay, kill: () => (isDead = true) };
  }

  const wanted = REFERENCES.slice(0, 1 + draw(REFERENCES.length)).map((reference, index) => ({
    reference,
    phone: "0712345678",
    amount: 100 + index,
    outcome: pick(OUTCOMES),
  }));
  const rules = wanted.map(({ amount, outcome }) => ({ match: { amount }, outcome }));
  await control("PUT", "/rules", { rules });
  const results = new Map<string, string[]>(wanted.map(({ reference }) => [reference, []]));
  let client = startClient();
  const pay = ({ reference, phone, amount }: (typeof wanted)[number]) =>
    client.pay(reference, phone, amount).then(
      ({ status }) => void results.get(reference)?.push(status),
      (error) => void (error.kind ? results.get(reference)?.push(error.kind) : errors.push(error)),
    );

  /** Time passes, from event to event. */
  async function pass(ms: number): Promise<void> {
    const untilMs = realClock.nowMs() + ms;
    for (;;) {
      await turns(QUIET_TURNS);
      const [next] = realClock.alarmsAtMs;
      if (next === undefined || next > untilMs) break;
      realClock.advance(Math.max(0, next - realClock.nowMs()));
    }
    realClock.advance(untilMs - realClock.nowMs());
    await turns(QUIET_TURNS);
  }

  try {
    for (const order of wanted) {
      void pay(order);
      if (draw(3) === 0) void pay(order); // twice at once
    }
    for (let kills = draw(3); kills > 0; kills -= 1) {
      await pass(draw(40_000));
      client.kill();
      client = startClient();
      for (const order of wanted) void pay(order);
    }
    await pass(150_000);
    rate = 0;
    // A later run goes on until each order is known.
    for (let run = 0; run < 8; run += 1) {
      for (const order of wanted) void pay(order);
      await pass(150_000);
    }
    if (errors.length > 0) throw new Error(`errors: ${errors.map(String).join("; ")}`);
    const { transactions } = await control("GET", "/transactions?limit=100");
    for (const { reference, amount } of wanted) {
      const own = transactions.filter((payment: { amount: number }) => payment.amount === amount);
      if (own.length > 1) throw new Error(`${reference} was charged ${own.length} times`);
      const truth = own[0]?.status ?? "not_started";
      const said = results.get(reference) ?? [];
      if (said.at(-1) !== truth) throw new Error(`${reference} is ${truth}, and the client says ${said}`);
      const wrong = said.find((status) => KNOWN.includes(status) && status !== truth);
      if (wrong) throw new Error(`${reference} is ${truth}, and the client has said ${wrong}`);
    }
    const { findings } = await control("GET", "/audit?over=true");
    const bad = findings.filter(({ severity }: { severity: string }) => severity !== "note");
    if (bad.length > 0)
      throw new Error(bad.map(({ kind, message }: Record<string, string>) => `${kind}: ${message}`).join("; "));
  } finally {
    client.kill();
    await sandbox.service.resolver.stop();
    sandbox.endStreams();
    await place.leave();
  }
}

async function turns(count: number): Promise<void> {
  for (let number = 0; number < count; number += 1) await nextTurn();
}
