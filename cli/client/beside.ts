import { type Answer, type Client, controlClient } from "./client.ts";
import { knownControl, type TargetFlags } from "./target.ts";

/**
 * What the sandbox beside the payment service knows and the merchant API does not tell: its time, references, how long a prompt
 * lives. It is nice to have: without it, commands show less.
 */
export interface Beside {
  /** The answer, or null where there is none. */
  get(path: string, query?: Record<string, string>): Promise<Answer | null>;
}

/** Nobody waits long for what is nice to have. */
const TIMEOUT_MS = 1500;

/** Nobody is asked who was not named as a sandbox: a real service has no such paths. */
export function openBeside(flags: TargetFlags): Beside {
  let client: Client | null = null;
  try {
    const control = knownControl(flags);
    client = control && controlClient(control);
  } catch {
    // What is wrong with the address is told by the command's own request.
  }
  return {
    get: async (path, query = {}) =>
      (await client?.get(path, query, { timeoutMs: TIMEOUT_MS, lookWith: null }).catch(() => null)) ?? null,
  };
}

/** The time of the sandbox where it is known, else that of this machine. */
export interface SandboxTime {
  readonly nowMs: number;
  readonly isFrozen: boolean;
}

export function timeIn(clock: Answer | null, machineNowMs: number): SandboxTime {
  const nowMs = clock?.now_ms;
  return { nowMs: typeof nowMs === "number" ? nowMs : machineNowMs, isFrozen: clock?.frozen === true };
}
