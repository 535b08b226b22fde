import { resolve } from "node:path";
import { systemClock } from "../src/system.ts";
import { Environment } from "./environment.ts";
import { Io } from "./io.ts";
import { run } from "./run.ts";
import { atTheEnd, onSignal, stopSignal, whileBlocked } from "./terminal/signals.ts";
import { ProcessErrors, type ProcessOutput } from "./terminal/streams.ts";
import { version } from "./version.ts";

/** What a command uses of the process of `momo`. */
class OwnProcess extends Io {
  readonly usualPort = 2547;
  readonly send = fetch;
  readonly clock = systemClock;
  readonly atTheEnd = atTheEnd;
  readonly whileBlocked = whileBlocked;
  readonly onSignal = onSignal;
  readonly stopSignal = stopSignal;

  constructor(
    readonly words: readonly string[],
    stdout: ProcessOutput,
  ) {
    super(stdout, new ProcessErrors(), new Environment(process.env));
  }

  protected absolutePath(path: string): string {
    return resolve(path);
  }

  hideFiles(): void {
    process.umask(0o077);
  }
}

/** Runs the command line of this process. @returns the exit code */
export const runHere = (words: readonly string[], stdout: ProcessOutput): Promise<number> =>
  run(new OwnProcess(words, stdout), version);
