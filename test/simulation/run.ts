import { Auditor, type Judge } from "./auditor/auditor.ts";
import { createPrng } from "./draws.ts";
import { api, control, type SimulatedEngine, sqliteEngine, Trace } from "./engine.ts";
import type { Sent, WorldEvent } from "./events.ts";
import type { Mutant } from "./mutants.test.ts";
import type { FaultSet } from "./unreliable-database.ts";
import { type Step, Workload } from "./workload.ts";
import { type Call, createWorld, type World } from "./world.ts";

export interface RunReport {
  readonly seed: number;
  /** How many requests were sent. */
  readonly operations: number;
  readonly payments: number;
  /** Equal for runs in which exactly the same happened. */
  readonly digest: string;
}

/** What failed, and how to repeat it. */
export class SimulationFailure extends Error {
  override readonly name = "SimulationFailure";

  constructor(seed: number, step: number, lastLines: readonly string[], why: unknown) {
    const reason = why instanceof Error ? `${why.name}: ${why.message}` : String(why);
    const shown = lastLines.map((line) => `  ${line.length > 1000 ? `${line.slice(0, 1000)}…` : line}`);
    const what = `seed ${seed} fails at step ${step}: ${reason}`;
    super(
      [
        what,
        `again: MOMO_TEST_SEED=${seed} MOMO_TEST_TRACE=1 npm run dev -- simulate -t 'seed ${seed}$'`,
        "the last steps before:",
        ...shown,
      ].join("\n"),
      { cause: why },
    );
  }
}

export interface RunOptions {
  readonly steps?: number;
  /** Gets each line of the trace. */
  readonly echo?: (line: string) => void;
  /** A mistake in the program; by default there is none. */
  readonly mutant?: Mutant;
  /** Where the payments are kept; by default in SQLite. */
  readonly engine?: SimulatedEngine;
}

/** More steps of one seed find little more. */
const DEFAULT_STEPS = 200;

/** After this number of deaths in a row nothing fails, so that a process can start. */
const DEATHS_IN_A_ROW = 4;

/** 20 November 2026 in Nairobi; the hour is drawn. */
const FIRST_DAY_MS = Date.UTC(2026, 10, 19, 21);

/**
 * Runs one history, drawn from a seed, and lets the auditor check every answer.
 * @throws SimulationFailure
 */
export async function simulate(
  seed: number,
  { steps = DEFAULT_STEPS, echo = () => {}, mutant = {}, engine = sqliteEngine() }: RunOptions = {},
): Promise<RunReport> {
  const prng = createPrng(seed);
  const trace = new Trace(echo);
  const promptTimeoutMs = prng.pick([60_000, 60_000, 60_000, 5000]);
  const startMs = FIRST_DAY_MS + prng.int(0, 23) * 3_600_000 + prng.int(0, 3_599_999);
  trace.note(`seed ${seed}: prompts live for ${promptTimeoutMs} ms, begins at ${startMs}`);
  const auditor: Auditor = new Auditor({ promptTimeoutMs, outsideMs: () => world.nowMs() });
  const failures: unknown[] = [];
  const tell = (event: WorldEvent) => {
    try {
      auditor.onEvent(event);
    } catch (failure) {
      // If it were thrown here, the program under test would catch it and answer 500.
      failures.push(failure);
    }
  };
  const worldOptions = { trace, startMs, promptTimeoutMs, tell, mutant, engine } as const;
  const world: World = await createWorld({ prng: prng.fork(), ...worldOptions });
  const workload = new Workload({ prng: prng.fork(), nowMs: () => auditor.nowMs() });
  const history = new History(world, auditor, workload, trace, failures);
  let step = 0;
  try {
    for (; step < steps; step += 1) await history.play(workload.next());
    await history.finish();
    return { seed, operations: history.operations, payments: auditor.paymentCount, digest: trace.digest() };
  } catch (error) {
    throw new SimulationFailure(seed, step, trace.lastLines, error);
  } finally {
    await world.close();
  }
}

class History {
  operations = 0;
  #faults: FaultSet = "none";
  #underWay: { readonly call: Call; readonly judge: Judge }[] = [];

  constructor(
    readonly world: World,
    readonly auditor: Auditor,
    readonly workload: Workload,
    readonly trace: Trace,
    /** What the auditor found while requests were in flight. */
    readonly failures: readonly unknown[],
  ) {}

  async play(step: Step): Promise<void> {
    const { world, auditor, trace } = this;
    trace.note(JSON.stringify(step));
    switch (step.do) {
      case "send":
        for (const sent of step.requests) this.#send(sent);
        world.dieAfterTurns(step.dieAfterTurns ?? Number.POSITIVE_INFINITY);
        await world.runUntilIdle();
        break;
      case "pass":
        world.dieAfterTurns(step.dieAfterTurns ?? Number.POSITIVE_INFINITY);
        await world.pass(step.ms);
        break;
      case "faults":
        this.#faults = step.name;
        world.setFaults(step.name);
        break;
      case "revoke":
        await world.revokeBeside(step.apiKey);
        auditor.revoked(step.apiKey);
        break;
      case "restart":
        await world.restart();
        break;
      case "kill":
        world.kill();
    }
    this.#judgeAnswers();
    for (let deaths = 1; world.isDead; deaths += 1) {
      // Otherwise many payments that are due at once would kill one process after another.
      if (deaths === DEATHS_IN_A_ROW) world.setFaults("none");
      await world.restart();
      this.#judgeAnswers();
    }
    await this.#readUncertain();
  }

  /** Nothing fails any more, and time passes until every payment is final; then everything is read. */
  async finish(): Promise<void> {
    const { auditor, workload } = this;
    await this.play({ do: "faults", name: "none" });
    await this.play({ do: "send", requests: [control("POST", "/clock", { resume: true })] });
    // Late answers arrive first, then the deadlines: a late prompt may end long after a clock that was reset.
    await this.play({ do: "pass", ms: 120_000 });
    await this.play({ do: "pass", ms: Math.max(0, auditor.lastDeadlineMs() - auditor.nowMs()) + 10_000 });
    auditor.demandAllFinal();
    await this.play({ do: "restart" });
    for (const key of workload.seen.keys) {
      for (const page of [1, 2, 3]) {
        const target = `/transactions.php?limit=7&page=${page}`;
        await this.play({ do: "send", requests: [api("GET", target, key, null)] });
      }
      await this.play({ do: "send", requests: [api("GET", "/transactions.php?limit=100", key, null)] });
    }
  }

  #send(sent: Sent, judge = this.auditor.sending(sent)): void {
    this.operations += 1;
    this.#underWay.push({ call: this.world.send(sent), judge });
  }

  #judgeAnswers(): void {
    if (this.failures.length > 0) throw this.failures[0];
    const done = this.#underWay.filter(({ call }) => call.answer !== null);
    this.#underWay = this.#underWay.filter(({ call }) => call.answer === null);
    for (const { call, judge } of done) {
      const { sent, answer } = call;
      this.trace.note(`  ${sent.method} ${sent.target} → ${JSON.stringify(answer)}`);
      if (answer === null) continue;
      if (answer === "lost") {
        this.auditor.lost(sent);
        continue;
      }
      judge(answer);
      this.workload.learn(sent, answer);
    }
    const [fault] = this.world.unexplained();
    if (fault !== undefined) throw fault;
  }

  /** Reads what is uncertain, while nothing fails. */
  async #readUncertain(): Promise<void> {
    this.world.setFaults("none");
    this.world.dieAfterTurns(Number.POSITIVE_INFINITY);
    this.auditor.rest();
    for (let asked = this.auditor.question(); asked !== null; asked = this.auditor.question()) {
      this.#send(asked.sent, asked.judge);
      await this.world.runUntilIdle();
      if (this.#underWay.at(-1)?.call.answer === null)
        throw new Error("a list is not answered, although nothing fails");
      this.#judgeAnswers();
    }
    this.world.setFaults(this.#faults);
  }
}
