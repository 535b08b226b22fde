import { join } from "node:path";
import { Environment } from "../../cli/environment.ts";
import { assemble } from "../../cli/serving/assemble.ts";
import type { VirtualClock } from "../../sandbox/network/clock.ts";
import { HOST, USUAL } from "../support/scene.ts";
import type { Prng } from "./draws.ts";
import type { ProcessTime, SimulatedEngine } from "./engine.ts";
import type { Answer, Sent, WorldEvent } from "./events.ts";
import type { Mutant } from "./mutants.test.ts";
import { type FaultRates, InjectedFault } from "./unreliable-database.ts";
import { makeUnreliableProvider, type ProviderFaults } from "./unreliable-provider.ts";

export interface ProcessOptions {
  readonly engine: SimulatedEngine;
  readonly clock: VirtualClock;
  readonly time: ProcessTime;
  readonly prng: Prng;
  readonly promptTimeoutMs: number;
  readonly rates: () => FaultRates;
  readonly rememberClock: () => void;
  readonly tell: (event: WorldEvent) => void;
  /** To be called when something happens: the process is not idle. */
  readonly onActivity: () => void;
  readonly moment: () => number;
  readonly die: () => void;
  readonly mutant: Mutant;
}

/** The process under test: what `momo serve` connects, on a disk and a network that fail. */
export interface Process {
  handle({ method, target, headers, body }: Sent): Promise<Answer>;
  /** Finishes the requests in flight. */
  stop(): Promise<void>;
  /** From now on the process has no effect. */
  abandon(): void;
  /** Releases the resources that the operating system takes from a dead process. */
  readonly release: () => void;
  /** Errors that the simulation did not cause. */
  readonly unexplained: readonly unknown[];
}

// Load everything now: a run must not depend on the speed of a disk at the first use.
const root = join(import.meta.dir, "../..");
for (const file of new Bun.Glob("{src,sandbox}/**/*.ts").scanSync(root)) {
  if (!/\.d\.ts$|\bbrowser\//.test(file)) await import(join(root, file));
}

export async function startProcess(options: ProcessOptions): Promise<Process> {
  const { engine, time, prng, rates, tell, onActivity, mutant } = options;
  const clock = mutant.clock?.(options.clock) ?? options.clock;
  let isAbandoned = false;
  const unexplained: unknown[] = [];

  /** Ends the process at once. */
  function die(): never {
    options.die();
    throw new InjectedFault("the process is dead");
  }

  const { store: sound, release } = await engine.open({
    next: () => {
      onActivity();
      return isAbandoned ? "dies before" : prng.weighted(rates().commit);
    },
    failed: () => tell({ kind: "commit failed" }),
    die,
  });
  const store = mutant.store?.(sound) ?? sound;
  const random = prng.fork();
  const faults: ProviderFaults = {
    prng: prng.fork(),
    nextPush() {
      onActivity();
      return isAbandoned ? "stalls" : prng.weighted(rates().push);
    },
    nextCheck() {
      onActivity();
      return isAbandoned ? "stalls" : prng.weighted(rates().check);
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
  const { handle, service } = assemble({
    ...USUAL,
    server: { ...USUAL.server, promptTimeoutMs: options.promptTimeoutMs },
    world: {
      realClock: time,
      stopwatch: () => 0,
      random,
      reportFault,
      warn: () => {},
      environment: new Environment({}),
    },
    store,
    clock,
    wrapProvider(network) {
      mutant.rules?.(network.rules);
      const provider = makeUnreliableProvider(network, faults);
      return mutant.provider?.(provider) ?? provider;
    },
    rememberClock: () => {
      if (!isAbandoned) options.rememberClock();
    },
  });

  // What became due while no process ran.
  void service.resolver.resolveDue().catch(service.storage.reportFault);

  return {
    async handle({ method, target, headers, body }: Sent): Promise<Answer> {
      const request = new Request(`http://${HOST}${target}`, {
        method,
        headers: { Host: HOST, ...headers },
        ...(body !== null && { body }),
      });
      const response = await handle(request);
      const text = await response.text();
      return { status: response.status, allow: response.headers.get("Allow"), body: JSON.parse(text) };
    },
    async stop(): Promise<void> {
      await service.resolver.stop();
      isAbandoned = true;
      time.silence();
      store.close();
    },
    abandon(): void {
      isAbandoned = true;
      time.silence();
    },
    release,
    unexplained: unexplained as readonly unknown[],
  };
}

/** Errors that the simulation causes, and those with which SQLite and the service rightly react. */
function isMadeToFail(error: unknown): boolean {
  if (error instanceof InjectedFault) return true;
  const { message } = error as { message?: unknown };
  if (/^the database fails: .*\(SQLITE_(?:FULL|BUSY)\)/.test(String(message))) return true;
  if (message === "the store was closed") return true;
  // The network reported an impossible outcome.
  return /0 is the code of a payment|UNIQUE constraint failed: transactions\.receipt_number|transactions_by_receipt_number/.test(
    String(message),
  );
}
