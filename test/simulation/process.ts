import { join } from "node:path";
import { assemble } from "../../cli/serving/assemble.ts";
import type { VirtualClock } from "../../sandbox/network/clock.ts";
import type { SimulatedEngine } from "./engine.ts";
import type { Answer, Sent, WorldEvent } from "./events.ts";
import type { Mutant } from "./mutants.ts";
import type { Prng } from "./prng.ts";
import type { ProcessTime } from "./simulated-time.ts";
import { makeUnreliableProvider, type ProviderHazards } from "./unreliable-provider.ts";
import { InjectedFault, type Weather } from "./weather.ts";

export interface ProcessOptions {
  readonly engine: SimulatedEngine;
  readonly clock: VirtualClock;
  readonly time: ProcessTime;
  readonly prng: Prng;
  readonly form: "full" | "short";
  readonly promptTimeoutMs: number;
  readonly weather: () => Weather;
  readonly rememberClock: () => void;
  readonly tell: (event: WorldEvent) => void;
  /** Something is under way. */
  readonly stir: () => void;
  readonly moment: () => number;
  readonly die: () => void;
  readonly mutant: Mutant;
}

/** One life of the process under test: what `momo serve` ties together, on a disk and a network that fail. */
export interface Process {
  handle(sent: Sent): Promise<Answer>;
  /** In good order: what is under way is finished. */
  stop(): Promise<void>;
  /** Nothing that it still does has any effect. */
  abandon(): void;
  /** Gives back what the operating system would take back. */
  bury(): void;
  /** What went wrong and was not made to. */
  readonly unexplained: readonly unknown[];
}

const HOST = "127.0.0.1:2547";

// Much is loaded with its first use, which takes as long as a disk takes; and a run must not depend on that.
const root = join(import.meta.dir, "../..");
for (const file of new Bun.Glob("{src,sandbox}/**/*.ts").scanSync(root)) {
  // There is nothing in a declaration, and what a browser runs does not belong in this program.
  if (!/\.d\.ts$|\bbrowser\//.test(file)) await import(join(root, file));
}

export async function startProcess(options: ProcessOptions): Promise<Process> {
  const { engine, time, prng, weather, tell, stir, mutant } = options;
  const clock = mutant.clock?.(options.clock) ?? options.clock;
  let isAbandoned = false;
  const unexplained: unknown[] = [];

  /** Ends the process where it stands; what called it never goes on as if nothing had happened. */
  function die(): never {
    options.die();
    throw new InjectedFault("the process is dead");
  }

  const { store: sound, bury } = await engine.open({
    strike: () => {
      stir();
      return isAbandoned ? "dies before" : prng.weighted(weather().commit);
    },
    failed: () => tell({ kind: "commit failed" }),
    die,
  });
  const store = mutant.store?.(sound) ?? sound;
  const random = prng.fork();
  const hazards: ProviderHazards = {
    prng: prng.fork(),
    strikePush() {
      stir();
      return isAbandoned ? "stalls" : prng.weighted(weather().push);
    },
    strikeCheck() {
      stir();
      return isAbandoned ? "stalls" : prng.weighted(weather().check);
    },
    passed(durationMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      time.alarm(time.nowMs() + durationMs, resolve);
      return promise;
    },
    tell: (event) => {
      if (!isAbandoned) tell(event);
    },
    nowMs: clock.nowMs,
    moment: options.moment,
    die,
  };
  const reportFault = (error: unknown) => {
    if (!isAbandoned && !isMadeToFail(error)) unexplained.push(error);
  };
  const { form, promptTimeoutMs } = options;
  const { handle, service } = assemble({
    ...{ store, clock, random, form, promptTimeoutMs, reportFault },
    realClock: time,
    stopwatch: () => 0,
    fallback: { outcome: "completed", afterMs: null },
    rules: [],
    webhook: null,
    between(network) {
      mutant.rules?.(network.rules);
      const provider = makeUnreliableProvider(network, hazards);
      return mutant.provider?.(provider) ?? provider;
    },
    basePaths: ["/v2", "/api/v2"],
    accept: "strict",
    guard: { host: "127.0.0.1", token: null },
    rememberClock: () => {
      if (!isAbandoned) options.rememberClock();
    },
    data: null,
    merchantPort: () => null,
    credentials: () => null,
  });

  // What fell due while no process ran.
  void service.resolver.resolveDue().catch(reportFault);

  return {
    async handle({ method, target, headers, body }) {
      const request = new Request(`http://${HOST}${target}`, {
        method,
        headers: { Host: HOST, ...headers },
        ...(body !== null && { body }),
      });
      const response = await handle(request);
      const text = await response.text();
      return { status: response.status, allow: response.headers.get("Allow"), body: JSON.parse(text) };
    },
    async stop() {
      await service.resolver.stop();
      isAbandoned = true;
      time.silence();
      store.close();
    },
    abandon() {
      isAbandoned = true;
      time.silence();
    },
    bury,
    unexplained,
  };
}

/** Errors that this simulation brings about, or that SQLite and the service rightly answer them with. */
function isMadeToFail(error: unknown): boolean {
  if (error instanceof InjectedFault) return true;
  const { code, message } = error as { code?: unknown; message?: unknown };
  if (code === "SQLITE_FULL" || code === "SQLITE_BUSY") return true;
  if (message === "the store was closed") return true;
  // The network said what cannot be.
  return /0 is the code of a payment|UNIQUE constraint failed: transactions\.receipt_number|transactions_by_receipt_number/.test(
    String(message),
  );
}
