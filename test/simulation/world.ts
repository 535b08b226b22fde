import { type ClockState, createVirtualClock } from "../../sandbox/network/clock.ts";
import { Registry } from "../../src/service/registry.ts";
import type { SimulatedEngine } from "./engine.ts";
import type { Answer, Sent, WorldEvent } from "./events.ts";
import { FAULT_SETS, type FaultRates, type FaultSet } from "./faults.ts";
import type { Mutant } from "./mutants.ts";
import type { Prng } from "./prng.ts";
import { type Process, startProcess } from "./process.ts";
import { createSimulatedTime } from "./simulated-time.ts";
import type { Trace } from "./trace.ts";

export interface WorldOptions {
  readonly prng: Prng;
  readonly trace: Trace;
  readonly startMs: number;
  readonly form: "full" | "short";
  readonly promptTimeoutMs: number;
  readonly tell: (event: WorldEvent) => void;
  readonly engine: SimulatedEngine;
  readonly mutant: Mutant;
}

/** A request under way. */
export interface Call {
  readonly sent: Sent;
  /** `lost` where the process ended before it answered; null while it has not. */
  answer: Answer | "lost" | null;
}

/**
 * The process under test and all that is around it: time, network, disk, and the ways in which they fail. Only here does anything
 * happen; who uses it says what, and learns what came of it.
 */
export interface World {
  /** The time outside, which the process's own clock may be ahead of. */
  nowMs(): number;
  setFaults(name: FaultSet): void;
  /** Sends a request. It is answered, or not, by the end of the next {@link runUntilIdle}. */
  send(sent: Sent): Call;
  /** Lets happen what can happen without time passing. */
  runUntilIdle(): Promise<void>;
  /** Lets time pass, with all that it brings, in order. */
  pass(durationMs: number): Promise<void>;
  /** The process dies after so many turns of the event loop, if it is still at work then; infinity calls it off. */
  dieAfterTurns(turns: number): void;
  kill(): void;
  /** Starts the process again: after a death on what it left behind, otherwise after a stop in good order. */
  restart(): Promise<void>;
  readonly isDead: boolean;
  /** What `momo keys revoke` does while a server runs: another process writes to the same file. */
  revokeBeside(apiKey: string): Promise<void>;
  /** What went wrong behind the answers, and was not made to. */
  unexplained(): readonly unknown[];
  close(): Promise<void>;
}

/** Turns of the event loop without any activity after which nothing is under way any more. */
const QUIET_TURNS = 3;

/** A run in which something never comes to rest is a failure, not a loop. */
const MAX_TURNS = 2000;

export async function createWorld(options: WorldOptions): Promise<World> {
  const { prng, trace, engine } = options;
  const time = createSimulatedTime(options.startMs);
  const chance = prng.fork();
  let clockState: ClockState = { aheadMs: 0 };
  let rates: FaultRates = FAULT_SETS.none;
  let activity = 0;
  let moment = 0;
  let turnsToLive = Number.POSITIVE_INFINITY;
  let calls: Call[] = [];
  let isDead = false;
  let process = await start();

  function tell(event: WorldEvent): void {
    trace.note(`  ${JSON.stringify(event)}`);
    options.tell(event);
  }

  function start(): Promise<Process> {
    isDead = false;
    const processTime = time.forProcess();
    const clock = createVirtualClock(processTime, clockState);
    return startProcess({
      ...options,
      clock,
      time: processTime,
      prng: prng.fork(),
      rates: () => rates,
      rememberClock: () => {
        clockState = clock.state();
      },
      tell,
      stir: () => {
        activity += 1;
      },
      moment: () => moment,
      die,
    });
  }

  function die(): void {
    if (isDead) return;
    isDead = true;
    process.abandon();
    engine.crash(chance);
    lose();
    tell({ kind: "died" });
  }

  function lose(): void {
    turnsToLive = Number.POSITIVE_INFINITY;
    for (const call of calls) call.answer = "lost";
    calls = [];
  }

  async function runUntilIdle(): Promise<void> {
    moment += 1;
    let quiet = 0;
    for (let turn = 0; quiet < QUIET_TURNS; turn += 1) {
      if (turn > MAX_TURNS) throw new Error("the process never comes to rest");
      const before = activity;
      if (!isDead) activity += time.ringDue();
      const { promise, resolve } = Promise.withResolvers<void>();
      setImmediate(resolve);
      await promise;
      // A server outside takes its own time, which is none in this world.
      while (engine.isBusy && !isDead) await Bun.sleep(0);
      quiet = activity === before ? quiet + 1 : 0;
      if (quiet === 0) turnsToLive -= 1;
      if (turnsToLive <= 0) die();
    }
    calls = calls.filter((call) => call.answer === null);
  }

  return {
    nowMs: time.nowMs,
    get isDead() {
      return isDead;
    },
    setFaults(name) {
      rates = FAULT_SETS[name];
    },
    send(sent) {
      const call: Call = { sent, answer: null };
      calls.push(call);
      const asked = process;
      void asked.handle(sent).then((answer) => {
        activity += 1;
        // A dead process answers nobody.
        if (call.answer === null && asked === process && !isDead) call.answer = answer;
      });
      return call;
    },
    runUntilIdle,
    async pass(durationMs) {
      const endMs = time.nowMs() + durationMs;
      for (let atMs = time.nextAlarmAtMs(); atMs !== null && atMs <= endMs; atMs = time.nextAlarmAtMs()) {
        time.moveTo(atMs);
        await runUntilIdle();
      }
      time.moveTo(endMs);
      await runUntilIdle();
    },
    dieAfterTurns(turns) {
      turnsToLive = turns;
    },
    kill: die,
    async restart() {
      const wasDead = isDead;
      if (wasDead) process.release();
      else {
        let hasStopped = false;
        void process.stop().then(() => {
          hasStopped = true;
        });
        await runUntilIdle();
        if (!hasStopped) throw new Error("the process does not stop");
        lose();
      }
      process = await start();
      if (!wasDead) tell({ kind: "restarted" });
      await runUntilIdle();
    },
    async revokeBeside(apiKey) {
      await engine.beside(async (store) => {
        await new Registry({ store, clock: time.forProcess(), random: prng }).revokeKey(apiKey);
      });
    },
    unexplained: () => process.unexplained,
    async close() {
      process.abandon();
      process.release();
      await engine.close();
    },
  };
}
