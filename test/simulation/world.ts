import { type ClockState, createVirtualClock } from "../../sandbox/network/clock.ts";
import { Registry } from "../../src/service/registry.ts";
import { nextTurn } from "../support/waiting.ts";
import type { Prng } from "./draws.ts";
import { createSimulatedTime, type SimulatedEngine, type Trace } from "./engine.ts";
import type { Answer, Sent, WorldEvent } from "./events.ts";
import type { Mutant } from "./mutants.test.ts";
import { type Process, startProcess } from "./process.ts";
import { FAULT_SETS, type FaultRates, type FaultSet } from "./unreliable-database.ts";

export interface WorldOptions {
  readonly prng: Prng;
  readonly trace: Trace;
  readonly startMs: number;
  readonly promptTimeoutMs: number;
  readonly tell: (event: WorldEvent) => void;
  readonly engine: SimulatedEngine;
  readonly mutant: Mutant;
}

/** A request and its answer. */
export interface Call {
  readonly sent: Sent;
  /** `lost` if the process ended before it answered; null while the request is in flight. */
  answer: Answer | "lost" | null;
}

/**
 * The process under test and its environment: time, network and disk, and how they fail. Everything happens here; the caller
 * decides what, and gets the results.
 */
export interface World {
  /** The time outside; the process's own clock may be ahead of it. */
  readonly nowMs: () => number;
  readonly isDead: boolean;
  setFaults(name: FaultSet): void;
  /** Sends a request; {@link runUntilIdle} waits for its answer. */
  send(sent: Sent): Call;
  readonly runUntilIdle: () => Promise<void>;
  /** Lets time pass, and rings the alarms on the way in order. */
  pass(durationMs: number): Promise<void>;
  /** Lets the process die after this number of turns of the event loop, if it still works then; infinity cancels this. */
  dieAfterTurns(turns: number): void;
  readonly kill: () => void;
  /** Starts the process again; stops it first, unless it is dead. */
  restart(): Promise<void>;
  /** What `momo keys revoke` does while a server runs: another process writes to the same file. */
  revokeBeside(apiKey: string): Promise<void>;
  /** Errors that the simulation did not cause. */
  readonly unexplained: () => readonly unknown[];
  close(): Promise<void>;
}

/** After this number of turns of the event loop without activity, nothing is in flight. */
const QUIET_TURNS = 3;

/** A process that is still not idle after this number of turns has a bug. */
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
        clockState = clock.save();
      },
      tell,
      onActivity: () => {
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

  /** Lets everything happen that needs no time. */
  async function runUntilIdle(): Promise<void> {
    moment += 1;
    let quiet = 0;
    for (let turn = 0; quiet < QUIET_TURNS; turn += 1) {
      if (turn > MAX_TURNS) throw new Error("the process never becomes idle");
      const before = activity;
      if (!isDead) activity += time.ringDue();
      await nextTurn();
      // A real database server takes real time; the simulated time waits.
      while (engine.isBusy && !isDead) await Bun.sleep(0);
      quiet = activity === before ? quiet + 1 : 0;
      if (quiet === 0) turnsToLive -= 1;
      if (turnsToLive <= 0) die();
    }
    calls = calls.filter((call) => call.answer === null);
  }

  return {
    nowMs: time.nowMs,
    get isDead(): boolean {
      return isDead;
    },
    setFaults(name: FaultSet): void {
      rates = FAULT_SETS[name];
    },
    send(sent: Sent): Call {
      const call: Call = { sent, answer: null };
      calls.push(call);
      const asked = process;
      void asked.handle(sent).then((answer) => {
        activity += 1;
        // A dead process does not answer.
        if (call.answer === null && asked === process && !isDead) call.answer = answer;
      });
      return call;
    },
    runUntilIdle,
    async pass(durationMs: number): Promise<void> {
      const endMs = time.nowMs() + durationMs;
      for (let atMs = time.nextAlarmAtMs(); atMs !== null && atMs <= endMs; atMs = time.nextAlarmAtMs()) {
        time.moveTo(atMs);
        await runUntilIdle();
      }
      time.moveTo(endMs);
      await runUntilIdle();
    },
    dieAfterTurns(turns: number): void {
      turnsToLive = turns;
    },
    kill: die,
    async restart(): Promise<void> {
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
    async revokeBeside(apiKey: string): Promise<void> {
      await engine.beside(async (store) => {
        await new Registry({ store, clock: time.forProcess(), random: prng }).revokeKey(apiKey);
      });
    },
    unexplained: () => process.unexplained,
    async close(): Promise<void> {
      process.abandon();
      process.release();
      await engine.close();
    },
  };
}
