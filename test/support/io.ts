import { resolve } from "node:path";
import { Environment } from "../../cli/environment.ts";
import { Io, type Send } from "../../cli/io.ts";
import type { StandardOutput } from "../../cli/terminal/streams.ts";
import type { Clock } from "../../src/domain/clock.ts";
import { systemClock } from "../../src/system.ts";

interface Surroundings {
  readonly words?: readonly string[];
  readonly environment?: Record<string, string | undefined>;
  readonly folder?: string;
  readonly usualPort?: number;
  readonly send?: Send;
  readonly clock?: Clock;
}

/** What a command uses in place of its process. It keeps what is written, and is no terminal. */
export class TestIo extends Io {
  readonly words: readonly string[];
  readonly usualPort: number;
  readonly send: Send;
  readonly clock: Clock;
  readonly #folder: string;
  readonly #printed: string[];
  readonly #told: string[];
  readonly #lastSteps: (() => void)[] = [];

  constructor(surroundings: Surroundings = {}) {
    const { words = [], environment = {}, folder = ".", usualPort = 2547 } = surroundings;
    const { send = fetch, clock = systemClock } = surroundings;
    const printed: string[] = [];
    const told: string[] = [];
    super(streamInto(printed), streamInto(told), new Environment({ ...environment }));
    this.words = words;
    this.usualPort = usualPort;
    this.send = send;
    this.clock = clock;
    this.#folder = folder;
    this.#printed = printed;
    this.#told = told;
  }

  get printed(): string {
    return this.#printed.join("");
  }

  get told(): string {
    return this.#told.join("");
  }

  /** Does what a process does when it ends. */
  end(): void {
    for (const step of this.#lastSteps) step();
  }

  protected absolutePath(path: string): string {
    return resolve(this.#folder, path);
  }

  hideFiles(): void {}

  atTheEnd(step: () => void): void {
    this.#lastSteps.push(step);
  }

  async whileBlocked<T>(work: () => T | Promise<T>): Promise<T> {
    return work();
  }

  onSignal(): () => void {
    return () => {};
  }

  /** A server that starts has a process of its own: only one that is refused runs here. */
  stopSignal(): Promise<void> {
    return new Promise(() => {});
  }
}

function streamInto(texts: string[]): StandardOutput {
  return {
    problem: null,
    outlive() {},
    stream() {
      throw new Error("a command that needs the stream has a process of its own");
    },
    write(text: string, done?: () => void) {
      texts.push(text);
      done?.();
    },
    isTerminal: () => false,
    width: () => Number.POSITIVE_INFINITY,
  };
}
