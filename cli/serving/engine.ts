import type { ControlContext, Replica } from "../../sandbox/control/context.ts";
import type { EventHub } from "../../sandbox/control/event-hub.ts";
import type { Steering } from "../../sandbox/steering.ts";
import type { Clock } from "../../src/domain/clock.ts";
import type { Random } from "../../src/domain/random.ts";
import type { Handler } from "../../src/http/request.ts";
import type { Store } from "../../src/store/store.ts";
import type { DataDirectory } from "./data-directory.ts";

/** What keeps the payments of a server. */
export interface Engine {
  readonly store: Store;
  /** The clock for payments. */
  readonly clock: Clock;
  /** What several servers on one database share; null for a server with its own database. */
  readonly shared: Shared | null;
  /** Runs work that no other server does at the same time. */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
  /** A failure of the start in words that name the database. */
  explain(error: unknown): unknown;
  close(): unknown;
}

export interface Shared {
  readonly replica: Replica;
  /** Applies the settings that all servers on the database share. */
  steer(parts: SteeredParts): SharedSteering;
  /** Reads the settings again before an answer, if those of this server can be out of date. */
  whenFresh(handler: Handler, steering: SharedSteering, reportFault: (error: unknown) => void): Handler;
}

/** What requests of the control API change. */
export type Steered = Pick<ControlContext, "rules" | "default" | "faults" | "clock" | "webhooks" | "ownMemory">;

export interface SteeredParts {
  readonly steered: Steered;
  readonly eventHub: EventHub;
  readonly realClock: Clock;
  readonly stopwatch: () => number;
}

/** Start it before the first request, and stop it at the end. */
export interface SharedSteering extends Steering {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A database that several servers share, as the command line names it. */
export interface DatabaseConfig {
  readonly url: string;
  readonly password: string | null;
  readonly connections: number;
  readonly commitDeadlineMs: number;
  readonly requireReplica: boolean;
  readonly replica: Replica;
}

export interface EngineOptions {
  readonly directory: DataDirectory;
  /** Null: the file in the data directory. */
  readonly database: DatabaseConfig | null;
  readonly realClock: Clock;
  readonly stopwatch: () => number;
  readonly random: Random;
  readonly reportFault: (error: unknown) => void;
}
