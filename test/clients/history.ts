import { seededChance } from "../../src/domain/random.ts";
import { FAST_FOLDER, newFolder } from "../support/cleanup.ts";
import { START_MS } from "../support/service.ts";
import { turns } from "../support/waiting.ts";
import { Database } from "./database.ts";
import { createDraws, createProxy, type Standstill, type Wanted } from "./draws.ts";
import { createMachine } from "./machine.ts";
import { openSandbox } from "./sandbox.ts";
import { type Row, Shop, type ShopParts } from "./shop.ts";
import type { Client, StartClient, World } from "./world.ts";

/** Drawn histories of a client in clients/ against the assembled sandbox, in a time that goes from event to event. */

/** What a history has shown. */
export interface Verdict {
  /** What the client did or said wrong. */
  readonly wrong: string[];
  readonly findings: readonly { readonly kind: string; readonly severity: string; readonly message: string }[];
}

const CLIENT_TIMEOUT_MS = 10_000;
/** After so many turns of the event loop nothing happens without time. */
const QUIET_TURNS = 6;
const RUN_MS = 150_000;
/** How long a later run takes until each order is known: six runs until a push that is nowhere has not started, and two more. */
const MAX_RUNS = 9;
/** After a process stood still, an order that had not started can be unknown again, for as long. */
const MAX_RUNS_STANDING = 18;
/** A cron that looks once a minute needs 121 looks for that. */
const MAX_CRONS = 130;
/** The proxy has seeds of its own. */
const PROXY_SEEDS = 1_000_000;
/** The audit takes the pushes of the proxy for those of the client. */
const FOUND_IN_PROXY = ["charges_twice", "repeats_blindly", "end_not_learned"];
const COMMITS_MS = [0, 0, 1000, 20_000];
const HOOK = "http://127.0.0.1:9/hook";

export interface Choices {
  /** Where a process stands still for certain; without it, that is drawn. */
  readonly standsBefore?: Standstill["before"];
  readonly createShop?: (client: Client, parts: ShopParts) => Shop;
}

export async function live(
  seed: number,
  startClient: StartClient,
  { standsBefore, createShop = (client, parts) => new Shop(client, parts) }: Choices = {},
): Promise<Verdict> {
  const draws = createDraws(seededChance(seed));
  const proxy = createProxy(seededChance(PROXY_SEEDS + seed));
  const scene = await openSandbox(seed, draws, proxy);
  const { realClock, control } = scene;
  const machine = createMachine(realClock, draws, control);
  const errors: unknown[] = scene.errors;
  const standstill = draws.standstill(standsBefore);
  let hasStood = false;
  let isAnswerLost = false;
  let doesDatabaseFail = true;
  const endings: (() => void)[] = [];

  const world: World = {
    apiKey: scene.caller.key.apiKey,
    apiSecret: scene.caller.key.apiSecret,
    paymentAccountId: scene.caller.accountId,
    folder: newFolder(FAST_FOLDER),
    kept: new Map(),
    draw: draws.below,
    nowMs: machine.nowMs,
    isDiskFull: machine.isDiskFull,
    atEnd: (clean) => void endings.push(clean),
    after: machine.after,
    async standStill(before) {
      if (standstill?.before !== before || hasStood) return;
      hasStood = true;
      await pause(standstill.ms);
      isAnswerLost = before === "push" && standstill.isAnswerLost;
    },
    async send(path, init) {
      const isLost = isAnswerLost && path.endsWith("/stkpush.php");
      if (isLost) isAnswerLost = false;
      const answer = await sendInTime(path, init);
      if (isLost) throw new TypeError("the connection was lost");
      return answer;
    },
  };
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      if (ms === 0) resolve();
      else machine.after(ms, resolve);
    });
  function sendInTime(path: string, init: RequestInit): Promise<Response> {
    const connection = new AbortController();
    const late = new Promise<never>((_, reject) => {
      machine.after(CLIENT_TIMEOUT_MS, () => {
        connection.abort(); // the sandbox sees that nobody gets its answer
        reject(new Error("timed out"));
      });
    });
    return Promise.race([receive(path, { ...init, signal: connection.signal }), late]);
  }
  async function receive(path: string, init: RequestInit): Promise<Response> {
    try {
      return await scene.reach(path, init);
    } finally {
      await machine.awake();
    }
  }

  const webhook = draws.webhook();
  const orders = draws.orders();
  // An early webhook comes before the answer to the push, if the customer is fast.
  const isFast = webhook?.early && draws.below(2) === 0;
  const rules = orders.flatMap(({ amount, outcome }): object[] => {
    if (isFast) return [{ match: { amount }, outcome: "completed", after: "1s" }];
    if (!proxy) return [{ match: { amount }, outcome }];
    return [
      { match: { amount }, outcome, times: 1 },
      { match: { amount }, outcome: proxy.outcome() },
    ];
  });
  await control("PUT", "/rules", { rules });
  const database = new Database(async () => {
    await pause(draws.pick(COMMITS_MS));
    if (doesDatabaseFail && draws.below(5) === 0) throw new Error("the shop's database fails");
  });
  const rows = async (): Promise<Row[]> => (await control("GET", "/transactions?limit=100")).transactions;
  const start = () => createShop(startClient(world), { orders, database, after: machine.after, rows, errors });
  let shop = start();
  const previous = [shop];
  const realFetch = globalThis.fetch;
  globalThis.fetch = Object.assign(async (target: string | URL | Request, init?: RequestInit) => {
    if (String(target) !== HOOK) return realFetch(target, init);
    const late = new Promise<never>((_, reject) => {
      init?.signal?.addEventListener("abort", () => reject(new Error("timed out")));
    });
    const taken = machine.awake().then(() => shop.takeWebhook(JSON.parse(String(init?.body))));
    return new Response("", { status: await Promise.race([taken, late]) });
  }, realFetch);
  // Webhooks make the shop ask several times at once, before the first answer has come.
  if (webhook) machine.askAgain();
  if (webhook) await control("PUT", "/webhook", { url: HOOK, ...webhook });

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
    while (await shop.client.goOn());
  }

  try {
    machine.plan();
    for (const order of orders) {
      shop.sell(order);
      if (draws.below(3) === 0) shop.sell(order); // twice at once
    }
    for (let kills = draws.below(3); kills > 0; kills -= 1) {
      await pass(draws.below(40_000));
      machine.askAgain();
      shop.kill();
      shop = start();
      previous.push(shop);
      for (const order of orders) shop.sell(order);
    }
    await pass(RUN_MS);
    scene.endFaults();
    doesDatabaseFail = false;
    const mended = machine.mend(); // it waits for webhooks, which come while time passes
    await pass(RUN_MS);
    await mended;
    // A later run goes on until each order is known; one more has nothing to do.
    const maxRuns = standstill ? MAX_RUNS_STANDING : MAX_RUNS;
    const isCron = draws.below(5) === 0;
    const said = () => previous.flatMap((one) => one.said);
    const isStarted = (order: Wanted) => said().some((one) => one.order === order && !one.isError);
    for (const order of orders) if (!isCron || !isStarted(order)) void shop.pay(order);
    if (isCron) {
      // The cron is all that goes on.
      await pass(draws.below(30_000));
      machine.askAgain();
      shop.kill();
      shop = start();
      previous.push(shop);
    }
    const isKnown = (order: Wanted) => said().findLast((one) => one.order === order)?.isFinal;
    const isMoving = () => !standstill || realClock.nowMs() - START_MS > standstill.ms + 2 * RUN_MS;
    for (let run = 0, known = 0; run < (isCron ? MAX_CRONS : maxRuns) && known < 2; run += 1) {
      await pass(isCron ? 60_000 : RUN_MS);
      known = isMoving() && orders.every(isKnown) ? known + 1 : 0;
      if (isCron) void shop.runCron();
      else for (const order of orders) void shop.pay(order);
    }
    const unknown = orders.filter((order) => !isKnown(order));
    const delivered = new Map(orders.map((order) => [order, database.receiptsOf(order.reference)]));
    for (const order of orders) void shop.pay(order);
    await pass(RUN_MS);
    void shop.expectNothingOpen();
    await pass(RUN_MS);
    const wrong = [
      ...unknown.map(({ reference }) => `${reference} was never known`),
      ...errors.map(String),
      ...previous.flatMap((one) => one.wrong),
    ];
    const isLate = standstill?.before === "push";
    const { repeated } = scene;
    wrong.push(...judge(orders, await rows(), { said: said(), delivered, isLate, repeated }));
    const { findings } = await control("GET", "/audit?over=true");
    const isExplained = (kind: string) =>
      machine.explains(kind) || (repeated.length > 0 && FOUND_IN_PROXY.includes(kind));
    return { wrong, findings: findings.filter(({ kind }: { kind: string }) => !isExplained(kind)) };
  } finally {
    globalThis.fetch = realFetch;
    for (const one of previous) one.kill();
    for (const clean of endings) clean();
    await scene.close();
  }
}

interface Told {
  readonly said: Shop["said"];
  /** The receipts for which each order was delivered. */
  readonly delivered: ReadonlyMap<Wanted, readonly (string | null)[]>;
  /** Whether a push came after others had seen that it had not started. */
  readonly isLate: boolean;
  /** The amounts of pushes that were sent twice by others than the client. */
  readonly repeated: readonly number[];
}

const NOT_STARTED = "not_started  ";

/** What the client said wrongly of its orders. */
function judge(orders: readonly Wanted[], rows: readonly Row[], told: Told): string[] {
  const { said, delivered, isLate, repeated } = told;
  const wrong: string[] = [];
  for (const order of orders) {
    const { reference, amount } = order;
    const own = rows.filter((row) => row.amount === amount);
    const maxCharges = 1 + repeated.filter((one) => one === amount).length;
    if (own.length > maxCharges) wrong.push(`${reference} was charged ${own.length} times`);
    const paid = own.filter(({ status }) => status === "completed");
    const truths = (paid.length > 0 ? paid : own).map((row) =>
      [row.status, row.momo_receipt_number, row.result_code].join(" "),
    );
    if (truths.length === 0) truths.push(NOT_STARTED);
    const truth = truths.join(" or ");
    const ofOrder = said.filter((one) => one.order === order);
    const isRight = (text = "") => truths.includes(text) || (isLate && text === NOT_STARTED);
    const isWrong = ofOrder.some(({ isFinal, text }) => isFinal && !isRight(text));
    const receipts = delivered.get(order) ?? [];
    const isOne = receipts.length === 1 && paid.some((row) => row.momo_receipt_number === receipts[0]);
    const isDelivered = paid.length > 0 ? isOne : receipts.length === 0;
    if (!isDelivered) wrong.push(`${reference} is ${truth}, and was delivered for ${receipts}`);
    if (!truths.includes(ofOrder.at(-1)?.text ?? "") || isWrong)
      wrong.push(`${reference} is ${truth}, and the client says ${ofOrder.map(({ text }) => text).join(", ")}`);
  }
  return wrong;
}
