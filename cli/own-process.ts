import { resolve } from "node:path";
import { systemClock } from "../src/system.ts";
import { Environment } from "./environment.ts";
import { Io } from "./io.ts";
import { atTheEnd, onSignal, stopSignal, whileBlocked } from "./terminal/signals.ts";
import { ProcessErrors, type ProcessOutput } from "./terminal/streams.ts";

/** What a command uses of the process of `momo`. */
export class OwnProcess extends Io {
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
