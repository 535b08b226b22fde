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

const LOOK_MS = 250;

/** Notices that other replicas of a shared store have changed transactions. */
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

  const lookout = createLookout({ ...parts, everyMs: LOOK_MS, isNeeded: () => service.isShared && isNeeded(), look });
  return {
    /** How often it was noticed. */
    get count() {
      return count;
    },
    ...lookout,
  };
}
