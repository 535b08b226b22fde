import { seededChance } from "../../src/domain/random.ts";
import { FAST_FOLDER, newFolder } from "../support/cleanup.ts";
import { START_MS } from "../support/service.ts";
import { turns } from "../support/waiting.ts";
import { Database } from "./database.ts";
import { createDraws, type Standstill, type Wanted } from "./draws.ts";
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
/** How long a later run takes until each order is known: five runs until a push that is nowhere has not started, and two more. */
const MAX_RUNS = 9;
/** After a process stood still, an order that had not started can be unknown again, for as long. */
const MAX_RUNS_STANDING = 18;
/** A cron that looks once a minute needs 120 looks for that. */
const MAX_CRONS = 130;
const COMMITS_MS = [0, 0, 1000, 20_000];
const HOOK = "http://127.0.0.1:9/hook";

interface Choices {
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
  const scene = await openSandbox(seed, draws);
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
  const rules = orders.map(({ amount, outcome }) =>
    isFast ? { match: { amount }, outcome: "completed", after: "1s" } : { match: { amount }, outcome },
  );
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
    wrong.push(...judge(orders, await rows(), { said: said(), delivered, isLate }));
    const { findings } = await control("GET", "/audit?over=true");
    return { wrong, findings: findings.filter(({ kind }: { kind: string }) => !machine.explains(kind)) };
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
}

const NOT_STARTED = "not_started  ";

/** What the client said wrongly of its orders. */
function judge(orders: readonly Wanted[], rows: readonly Row[], { said, delivered, isLate }: Told): string[] {
  const wrong: string[] = [];
  for (const order of orders) {
    const { reference, amount } = order;
    const own = rows.filter((row) => row.amount === amount);
    if (own.length > 1) wrong.push(`${reference} was charged ${own.length} times`);
    const truth = own[0] ? [own[0].status, own[0].momo_receipt_number, own[0].result_code].join(" ") : NOT_STARTED;
    const ofOrder = said.filter((one) => one.order === order);
    const isRight = (text: string) => text === truth || (isLate && text === NOT_STARTED);
    const isWrong = ofOrder.some(({ isFinal, text }) => isFinal && !isRight(text));
    const receipts = delivered.get(order) ?? [];
    const paid = own.filter(({ status }) => status === "completed").map((row) => row.momo_receipt_number);
    if (String(receipts) !== String(paid)) wrong.push(`${reference} is ${truth}, and was delivered for ${receipts}`);
    if (ofOrder.at(-1)?.text !== truth || isWrong)
      wrong.push(`${reference} is ${truth}, and the client says ${ofOrder.map(({ text }) => text).join(", ")}`);
  }
  return wrong;
}
