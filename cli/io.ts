import { join } from "node:path";
import type { Clock } from "../src/domain/clock.ts";
import { Failure } from "./terminal/failure.ts";
import { Output } from "./terminal/output.ts";

/** Sends one request over HTTP, as `fetch` does. */
export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** What a command uses of the process that it runs in. Tests run commands in their own process, each with an `Io` of its own. */
export abstract class Io extends Output {
  /** All words of the command line. */
  abstract readonly words: readonly string[];
  /** The port of a server that is given none, where commands look for one. */
  abstract readonly usualPort: number;
  /** Sends the requests of its clients. */
  abstract readonly send: Send;
  /** The time of this machine. */
  abstract readonly clock: Clock;
  exitCode: number | undefined;
  /** The variables that gave options their values, by the option, such as `--port`. */
  readonly givenByVariable = new Map<string, string>();

  /** How a refusal names an option: by its variable, if the value came from there. */
  readonly optionName = (flag: string): string => this.givenByVariable.get(flag) ?? flag;

  /**
   * The path of a file or a folder that the user names: absolute, or in the current folder. A leading `~/` means the home directory,
   * also where no shell has replaced it: in `--data=~/x`, and in a file of variables.
   */
  resolvePath(path: string): string {
    if (path !== "~" && !path.startsWith("~/")) return this.absolutePath(path);
    const home = this.environment.homeFolder();
    if (home !== null) return join(home, path.slice(1));
    const hint = "set HOME, or give the whole path";
    throw new Failure("usage", `${path} is in the home directory, and HOME is not set`, hint);
  }

  protected abstract absolutePath(path: string): string;

  /** Makes new files private: only their owner can read them. */
  abstract hideFiles(): void;

  /** Runs a step when the process ends, also if a signal such as Ctrl+C ends it. */
  abstract atTheEnd(step: () => void): void;

  /** Does work that blocks the thread: no handler could run meanwhile, so a signal ends the process at once, without its last steps. */
  abstract whileBlocked<T>(work: () => T | Promise<T>): Promise<T>;

  /**
   * Runs a step in the place of the end that a signal brings.
   * @param step gets the exit code of the signal
   * @returns a function that cancels this
   */
  abstract onSignal(step: (exitCode: number) => void): () => void;

  /** Resolves at the first SIGINT, SIGTERM or SIGHUP; a second one ends the process at once, after `removeFiles`. */
  abstract stopSignal(removeFiles: () => void): Promise<void>;
}
