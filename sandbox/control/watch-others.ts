import type { Clock } from "../../src/domain/clock.ts";

/** How often to look whether other servers on the same database have changed a payment. */
const LOOK_MS = 250;

export interface OthersParts {
  /** Changes whenever another server has started or resolved a payment. */
  readonly mark: () => Promise<string>;
  readonly clock: Clock;
  /** Whether anybody wants to know. */
  readonly isWanted: () => boolean;
  readonly onChange: () => void;
}

/** Looks as long as it is wanted. @returns a function that begins; harmless while it is looking already */
export function watchOthers({ mark, clock, isWanted, onChange }: OthersParts): () => void {
  let isLooking = false;
  let last: string | null = null;

  async function look(): Promise<void> {
    // An engine that is away now says nothing of what others do.
    const next = await mark().catch(() => last);
    isLooking = false;
    if (last !== null && next !== last) onChange();
    last = isWanted() ? next : null;
    begin();
  }

  function begin(): void {
    if (isLooking || !isWanted()) return;
    isLooking = true;
    clock.alarm(clock.nowMs() + (last === null ? 0 : LOOK_MS), () => void look());
  }
  return begin;
}
