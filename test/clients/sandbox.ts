import { Environment } from "../../cli/environment.ts";
import { assemble } from "../../cli/serving/assemble.ts";
import { createVirtualClock } from "../../sandbox/network/clock.ts";
import { sqlite } from "../support/engines.ts";
import { createManualClock } from "../support/manual-clock.ts";
import { seededRandom } from "../support/random.ts";
import { HOST, USUAL } from "../support/scene.ts";
import { addCaller, START_MS } from "../support/service.ts";
import { turns } from "../support/waiting.ts";
import type { Draws, PushProxy } from "./draws.ts";

/** Nothing is wrong if the customer is slower than the answer to the push. */
const EARLY_IS_LATE = "for its early webhook";
/** How far the time goes at once while the sandbox stops. */
const STOP_STEP_MS = 10_000;

/** The sandbox of a history, and what disturbs its requests. */
export async function openSandbox(seed: number, draws: Draws, proxy: PushProxy | null) {
  const place = await sqlite.newPlace();
  const store = await place.open();
  const realClock = createManualClock(START_MS);
  const clock = createVirtualClock(realClock);
  const errors: unknown[] = [];
  const sandbox = assemble({
    ...USUAL,
    server: { ...USUAL.server, profile: { accept: draws.pick(["strict", "strict", "lenient"]) } },
    world: {
      realClock,
      stopwatch: realClock.nowMs,
      random: seededRandom(seed),
      warn: () => {},
      environment: new Environment({}),
      reportFault: (error) => void (String(error).includes(EARLY_IS_LATE) || errors.push(error)),
    },
    store,
    clock,
  });
  const caller = await addCaller(sandbox.service, "Shop");
  await loadAll();

  /** The first list loads a part of the program. That takes real time, for which the time of a history does not wait. */
  async function loadAll(): Promise<void> {
    const visitor = await addCaller(sandbox.service, "Visitor");
    const headers = { ...visitor.headers, Host: HOST };
    const answer = await sandbox.handle(new Request(`http://${HOST}/v2/transactions.php`, { headers }));
    if (!answer.ok) throw new Error(`the list of a visitor: ${await answer.text()}`);
  }

  async function control(method: string, path: string, json?: object) {
    const body = json && { body: JSON.stringify(json) };
    const headers = { Host: HOST, "Content-Type": "application/json" };
    const answer = await sandbox.handle(new Request(`http://${HOST}/_momo${path}`, { method, headers, ...body }));
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text);
  }

  /** The amounts of the pushes that the proxy has sent twice. */
  const repeated: number[] = [];
  let areFaultsOver = false;
  /** Faults are set for one request at a time. */
  let turn: Promise<unknown> = Promise.resolve();
  async function reach(path: string, init: RequestInit): Promise<Response> {
    const before = turn;
    const { promise, resolve: pass } = Promise.withResolvers<void>();
    turn = promise;
    await before;
    const isRepeated = path.endsWith("/stkpush.php") && proxy?.repeats();
    if (isRepeated) {
      repeated.push(JSON.parse(String(init.body)).amount);
      await control("PUT", "/faults", { faults: [] });
      void send(path, { ...init, signal: null });
      await turns(4);
    }
    // A repeated push that comes late would open an order again that the client has seen end.
    const fault = areFaultsOver || isRepeated ? null : draws.fault();
    await control("PUT", "/faults", { faults: fault ? [{ ...fault, times: 1 }] : [] });
    const answer = send(path, init);
    void Promise.race([answer.catch(() => {}), turns(4)]).then(() => pass());
    const came = await answer;
    if (fault?.kind === "disconnect" || isRepeated) throw new TypeError("the connection was lost");
    return came;
  }

  function send(path: string, { method, headers, body, signal }: RequestInit): Promise<Response> {
    const sent = { ...(headers as Record<string, string>), Host: HOST };
    const request = { method, headers: sent, body: body ?? null, signal } as RequestInit;
    return Promise.resolve(sandbox.handle(new Request(`http://${HOST}${path}`, request)));
  }

  return {
    realClock,
    caller,
    repeated,
    errors,
    control,
    reach,
    endFaults: () => {
      areFaultsOver = true;
    },
    async close(): Promise<void> {
      sandbox.endStreams();
      // A stop waits for what is under way, in a time that only this advances.
      let isStopped = false;
      const stopped = Promise.all([sandbox.service.resolver.stop(), sandbox.webhooks.stop()]);
      void stopped.finally(() => {
        isStopped = true;
      });
      while (!isStopped) {
        realClock.advance(STOP_STEP_MS);
        await turns(2);
      }
      await stopped;
      await place.leave();
    },
  };
}
