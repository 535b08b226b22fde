import type { Clock } from "../../src/domain/clock.ts";
import type { Service } from "../../src/service/service.ts";
import { createLookout } from "./lookout.ts";

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

  async function look(): Promise<void> {
    const found = await service.markOfOthers();
    const isChanged = mark !== null && found !== mark;
    mark = found;
    if (!isChanged) return;
    count += 1;
    onChange();
  }

  const lookout = createLookout({ ...parts, everyMs: POLL_MS, isNeeded: () => service.isShared && isNeeded(), look });
  return {
    /** How many changes it has noticed. */
    get count() {
      return count;
    },
    ...lookout,
  };
}
