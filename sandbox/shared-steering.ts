import { type Clock, pause } from "../src/domain/clock.ts";
import { Refusal } from "../src/domain/error.ts";
import { createMutex } from "../src/domain/mutex.ts";
import { createRepeater, type Repeater } from "../src/domain/repeater.ts";
import type { SharedDocument, StoredDocument } from "../src/domain/shared-document.ts";
import type { PartName, State, StatePart, Steering } from "./steering.ts";

/** How often to poll for changes of other replicas, and to renew the lease. */
const POLL_MS = 200;
const CONFIRM_MS = 1000;

/**
 * A replica that has not renewed its lease for this long counts as dead. It decides nothing before it has read the document again.
 */
const LEASE_MS = 3000;

/** How long a change waits for the other replicas. */
const PATIENCE_MS = 5000;
const CONFIRMATION_POLL_MS = 50;

/** The part that survives when all replicas have stopped. */
const LASTING: PartName = "clock";

export interface SharedSteeringParts {
  readonly table: SharedDocument;
  readonly realClock: Clock;
  readonly stopwatch: () => number;
}

/**
 * Steers several servers by one document. It has only the parts that were changed by a call; the rest is as each server was
 * started.
 */
export class SharedSteering implements Steering {
  readonly #options: SharedSteeringParts;
  #state: readonly { readonly name: PartName; readonly part: StatePart; readonly started: string }[] = [];
  #onChange: (names: readonly PartName[]) => void = () => {};
  #version = -1;
  /** When the last confirmation was sent: the lease begins with it. */
  #confirmedAtMs = Number.NEGATIVE_INFINITY;
  readonly #polling: Repeater;
  /** One piece of work at a time: a second one would only wait for the lock of the first, and take another connection. */
  readonly #mutex = createMutex();

  constructor(options: SharedSteeringParts) {
    this.#options = options;
    // If the engine is down, the requests that need it report that. The next poll tries again.
    const onError = () => {};
    const work = () => this.refresh();
    this.#polling = createRepeater({ clock: options.realClock, everyMs: POLL_MS, work, onError });
  }

  /** If there is no other living replica, earlier changes are dropped, except {@link LASTING}. */
  async start(state: State, onChange: (names: readonly PartName[]) => void): Promise<void> {
    const { table, stopwatch } = this.#options;
    const parts = Object.entries(state) as [PartName, StatePart][];
    this.#state = parts.map(([name, part]) => ({ name, part, started: JSON.stringify(part.save()) }));
    this.#onChange = onChange;
    const startedMs = stopwatch();
    const joined = await table.join(LEASE_MS, (current, isAlone) => {
      const kept = (JSON.parse(current.document) as Record<string, unknown>)[LASTING];
      if (!isAlone) return current.document;
      return JSON.stringify(kept === undefined ? {} : { [LASTING]: kept });
    });
    this.#apply(joined);
    this.#confirmedAtMs = startedMs;
    this.#polling.start();
  }

  async stop(): Promise<void> {
    this.#polling.stop();
    await this.#mutex.whenIdle();
    // If the database cannot be reached, the lease ends by itself.
    await this.#options.table.leave().catch(() => {});
  }

  /** Whether the lease is valid. Without it the state may be out of date: other replicas do not wait for our confirmation. */
  get isFresh(): boolean {
    return this.#options.stopwatch() < this.#confirmedAtMs + LEASE_MS;
  }

  refresh(): Promise<void> {
    return this.#mutex.run(() => this.#poll());
  }

  count<T>(work: () => T): Promise<T> {
    return this.#mutex.run(() => this.#edit(work));
  }

  async change<T>(work: () => T): Promise<T> {
    const result = await this.#mutex.run(() => this.#edit(work));
    await this.#confirmedByAll(this.#version);
    return result;
  }

  async #edit<T>(work: () => T): Promise<T> {
    const { table, stopwatch } = this.#options;
    const startedMs = stopwatch();
    let result: T | undefined;
    /** What an attempt has written, if its answer was lost. */
    let written: StoredDocument | null = null;
    try {
      const edited = await table.edit((current) => {
        if (written?.version === current.version && written.document === current.document) return current.document;
        // Also the current version: a failed change may have applied a part.
        this.#apply(current);
        result = work();
        const document = this.#document();
        written = { version: current.version + 1, document };
        return document;
      });
      this.#version = edited.version;
      await table.confirm(edited.version, LEASE_MS);
      this.#confirmedAtMs = startedMs;
    } catch (error) {
      // The memory may differ from the table: the next poll loads the table.
      this.#version = -1;
      throw error;
    }
    return result as T;
  }

  /** @throws Refusal `unavailable` with the names of the replicas that have not confirmed it in time */
  async #confirmedByAll(version: number): Promise<void> {
    const { table, stopwatch } = this.#options;
    const untilMs = stopwatch() + PATIENCE_MS;
    for (;;) {
      const behind = await table.behind(version);
      if (behind.length === 0) return;
      if (stopwatch() >= untilMs) {
        const names = behind.slice(0, 10).join(", ");
        throw new Refusal(
          "unavailable",
          `the change is stored, but not confirmed by every replica after ${PATIENCE_MS / 1000} s: ${names}`,
        );
      }
      await pause(this.#options.realClock, CONFIRMATION_POLL_MS);
    }
  }

  async #poll(): Promise<void> {
    const { table, stopwatch } = this.#options;
    const startedMs = stopwatch();
    const current = await table.read();
    const isNew = current.version !== this.#version;
    if (isNew) this.#apply(current);
    if (isNew || startedMs - this.#confirmedAtMs >= CONFIRM_MS) {
      await table.confirm(current.version, LEASE_MS);
      this.#confirmedAtMs = startedMs;
    }
  }

  #apply({ version, document }: StoredDocument): void {
    const saved = JSON.parse(document) as Record<string, unknown>;
    const changed: PartName[] = [];
    for (const { name, part, started } of this.#state) {
      const next = JSON.stringify(saved[name]) ?? started;
      if (JSON.stringify(part.save()) === next) continue;
      part.load(JSON.parse(next));
      changed.push(name);
    }
    this.#version = version;
    if (changed.length > 0) this.#onChange(changed);
  }

  /** The parts that are not as the server was started. */
  #document(): string {
    const changed = this.#state.flatMap(({ name, part, started }) => {
      const saved = part.save();
      return JSON.stringify(saved) === started ? [] : [[name, saved] as const];
    });
    return JSON.stringify(Object.fromEntries(changed));
  }
}
