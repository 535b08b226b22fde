import { assemble } from "../../cli/serving/assemble.ts";
import { createVirtualClock } from "../../sandbox/network/clock.ts";
import { seededChance } from "../../src/domain/random.ts";
import { newFolder } from "../support/cleanup.ts";
import { sqlite } from "../support/engines.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { seededRandom } from "../support/random.ts";
import { HOST, USUAL } from "../support/scene.ts";
import { addCaller, START_MS } from "../support/service.ts";
import { turns } from "../support/waiting.ts";

/** Drawn histories of a client in clients/ against the assembled sandbox, in a time that goes from event to event. */

/** What a client needs of its history. */
export interface World {
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly paymentAccountId: number;
  /** Orders outlive the process of the client: in a new folder, or in memory. */
  readonly folder: string;
  readonly kept: Map<string, string>;
  nowMs(): number;
  after(ms: number, happen: () => void): void;
  /** Sends a request to the service; rejects if the connection is lost or the client's time is over. */
  send(path: string, init: RequestInit): Promise<Response>;
}

/** A process with the client. */
export interface Client {
  /** The status of the order, or the kind of the client's error. Rejects after an error that is not the client's own. */
  pay(reference: string, phone: string, amount: number): Promise<string>;
  /** Lets one thing that is due happen, and waits until the process waits again; false if nothing is due. */
  goOn(): Promise<boolean>;
  kill(): void;
}

export type StartClient = (world: World) => Client;

/** What a history has shown. */
export interface Verdict {
  /** What the client did or said wrong. */
  readonly wrong: string[];
  readonly findings: readonly { readonly kind: string; readonly severity: string; readonly message: string }[];
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
const PHONES = ["0712345678", "254112345678", "0799000111"];
const REFERENCES = ["ORDER-1", "ORDER-10", "1001", "A+B & C%#"];
/** The statuses that never change. */
export const KNOWN = ["completed", "failed", "cancelled", "expired", "not_started"];
const CLIENT_TIMEOUT_MS = 10_000;
/** After so many turns of the event loop nothing happens without time. */
const QUIET_TURNS = 6;

export async function live(seed: number, startClient: StartClient): Promise<Verdict> {
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
    profile: { accept: pick(["strict", "strict", "lenient"]) },
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
  async function reach(path: string, init: RequestInit): Promise<Response> {
    const before = turn;
    const { promise, resolve: pass } = Promise.withResolvers<void>();
    turn = promise;
    await before;
    const fault = chance() < rate ? pick(FAULTS) : null;
    await control("PUT", "/faults", { faults: fault ? [{ ...fault, times: 1 }] : [] });
    const { method, headers, body } = init;
    const sent = { ...(headers as Record<string, string>), Host: HOST };
    const request = { method, headers: sent, body: body ?? null } as RequestInit;
    const answer = sandbox.handle(new Request(`http://${HOST}${path}`, request));
    void Promise.race([answer.catch(() => {}), turns(4)]).then(() => pass());
    const came = await answer;
    if ((fault as { kind?: string } | null)?.kind === "disconnect") throw new TypeError("the connection was lost");
    return came;
  }

  const world: World = {
    ...{ apiKey: caller.key.apiKey, apiSecret: caller.key.apiSecret, paymentAccountId: caller.accountId },
    ...{ folder: newFolder(), kept: new Map(), nowMs: clock.nowMs, after },
    send(path, init) {
      const late = new Promise<never>((_, reject) => {
        after(CLIENT_TIMEOUT_MS, () => reject(new Error("timed out")));
      });
      return Promise.race([reach(path, init), late]);
    },
  };

  const wanted = REFERENCES.slice(0, 1 + draw(REFERENCES.length)).map((reference, index) => ({
    reference,
    phone: pick(PHONES),
    amount: 100 + index,
    outcome: pick(OUTCOMES),
  }));
  const rules = wanted.map(({ amount, outcome }) => ({ match: { amount }, outcome }));
  await control("PUT", "/rules", { rules });
  const results = new Map<string, string[]>(wanted.map(({ reference }) => [reference, []]));
  let client = startClient(world);
  const pay = ({ reference, phone, amount }: (typeof wanted)[number]) =>
    client.pay(reference, phone, amount).then(
      (status) => void results.get(reference)?.push(status),
      (error) => void errors.push(error),
    );

  /** Time passes, from event to event. */
  async function pass(ms: number): Promise<void> {
    const untilMs = realClock.nowMs() + ms;
    for (;;) {
      await quiet();
      const [next] = realClock.alarmsAtMs;
      if (next === undefined || next > untilMs) break;
      realClock.advance(Math.max(0, next - realClock.nowMs()));
    }
    realClock.advance(untilMs - realClock.nowMs());
    await quiet();
  }

  async function quiet(): Promise<void> {
    do await turns(QUIET_TURNS);
    while (await client.goOn());
  }

  try {
    for (const order of wanted) {
      void pay(order);
      if (draw(3) === 0) void pay(order); // twice at once
    }
    for (let kills = draw(3); kills > 0; kills -= 1) {
      await pass(draw(40_000));
      client.kill();
      client = startClient(world);
      for (const order of wanted) void pay(order);
    }
    await pass(150_000);
    rate = 0;
    // A later run goes on until each order is known; one more has nothing to do.
    for (let [run, known] = [0, 0]; run < 8 && known < 2; run += 1) {
      for (const order of wanted) void pay(order);
      await pass(150_000);
      known = [...results.values()].every((said) => KNOWN.includes(said.at(-1) ?? "")) ? known + 1 : 0;
    }
    const wrong = errors.map(String);
    const { transactions } = await control("GET", "/transactions?limit=100");
    for (const { reference, amount } of wanted) {
      const own = transactions.filter((payment: { amount: number }) => payment.amount === amount);
      if (own.length > 1) wrong.push(`${reference} was charged ${own.length} times`);
      const truth = own[0]?.status ?? "not_started";
      const said = results.get(reference) ?? [];
      const isWrong = (status: string) => KNOWN.includes(status) && status !== truth;
      if (said.at(-1) !== truth || said.some(isWrong))
        wrong.push(`${reference} is ${truth}, and the client says ${said}`);
    }
    const { findings } = await control("GET", "/audit?over=true");
    return { wrong, findings };
  } finally {
    client.kill();
    await sandbox.service.resolver.stop();
    sandbox.endStreams();
    await place.leave();
  }
}
