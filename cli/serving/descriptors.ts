import { closeSync, openSync, readFileSync } from "node:fs";
import { devNull } from "node:os";
import type { Clock } from "../../src/domain/clock.ts";
import { createRepeater } from "../../src/domain/repeater.ts";
import { causeOf } from "../../src/store/causes.ts";
import { readOrNull } from "./files.ts";

/** How many file descriptors stay free for the database, for webhooks, and to refuse those who come too late. */
const RESERVED = 32;

/** How many requests can be in flight at once, so that a descriptor is left; null where the system does not tell its limit. */
export function mostRequests(): number | null {
  const limits = readOrNull(() => readFileSync("/proc/self/limits", "utf8")) ?? "";
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? null : Math.max(Number(soft) - RESERVED, 1);
}

const LOOK_MS = 1000;
const TELL_MS = 60_000;

interface Parts {
  readonly clock: Clock;
  /** Closes the connections without a request. It is called again if it throws. */
  readonly relieve: () => void;
  readonly reportFault: (error: unknown) => void;
}

/**
 * Looks each second whether a descriptor is left. Without one the runtime tries all the time to accept the next connection.
 * @returns a function that ends it
 */
export function watchDescriptors({ clock, relieve, reportFault }: Parts): () => void {
  let toldAtMs = Number.NEGATIVE_INFINITY;
  let isRelieved = true;
  const tell = (error: Error) => {
    if (clock.nowMs() - toldAtMs < TELL_MS) return;
    toldAtMs = clock.nowMs();
    reportFault(error);
  };
  const work = () => {
    const cause = causeOf(whyNoneIsLeft());
    if (cause) tell(new Error(`no connection can be accepted: ${cause.reason}; ${cause.remedy}`));
    try {
      if (cause || !isRelieved) relieve();
      isRelieved = true;
    } catch (error) {
      isRelieved = false;
      tell(error as Error);
    }
  };
  const watch = createRepeater({ clock, everyMs: LOOK_MS, work, onError: reportFault });
  watch.start();
  return watch.stop;
}

function whyNoneIsLeft(): unknown {
  try {
    closeSync(openSync(devNull, "r"));
    return null;
  } catch (error) {
    return error;
  }
}
