import type { Clock } from "../../src/domain/clock.ts";
import type { Service } from "../../src/service/service.ts";

export interface ChangesElsewhereParts {
  readonly service: Pick<Service, "isShared" | "markOfOthers">;
  readonly realClock: Clock;
  readonly isNeeded: () => boolean;
  readonly onChange: () => void;
  readonly reportFault: (error: unknown) => void;
}

const POLL_MS = 250;

/** Polls whether other replicas have changed transactions in the shared store. */
export function createChangesElsewhere(parts: ChangesElsewhereParts) {
  const { service, isNeeded, onChange } = parts;
  let [count, mark]: [number, string | null] = [0, null];

  async function poll(): Promise<void> {
    const found = await service.markOfOthers();
    const isChanged = mark !== null && found !== mark;
    mark = found;
    if (!isChanged) return;
    count += 1;
    onChange();
  }

  const polling = createPolling({ ...parts, everyMs: POLL_MS, isNeeded: () => service.isShared && isNeeded(), poll });
  return {
    /** How many changes it has noticed. */
    get count() {
      return count;
    },
    ...polling,
  };
}

export interface PollingParts {
  readonly realClock: Clock;
  readonly everyMs: number;
  readonly isNeeded: () => boolean;
  readonly poll: () => Promise<unknown>;
  readonly reportFault: (error: unknown) => void;
}

/** Polls at an interval while it is needed, because a replica is not notified of the changes of others. */
export function createPolling({ realClock, everyMs, isNeeded, poll, reportFault }: PollingParts) {
  let [isPolling, cancel] = [false, () => {}];

  function pollLater(): void {
    isPolling = isNeeded();
    if (!isPolling) return;
    cancel = realClock.alarm(realClock.nowMs() + everyMs, () => void poll().catch(reportFault).finally(pollLater));
  }

  return {
    /** Starts polling if it is needed now. */
    start(): void {
      if (!isPolling) pollLater();
    },
    stop(): void {
      cancel();
    },
  };
}
