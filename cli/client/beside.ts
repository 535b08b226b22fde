import { type Answer, type Client, controlClient } from "./client.ts";
import { knownControl, type TargetFlags } from "./target.ts";

export type Beside = ReturnType<typeof openBeside>;

/** A short time-out, because this is optional. */
const TIMEOUT_MS = 1500;

/**
 * Reads from the control API what the merchant API does not have: the sandbox's time, references, the lifetime of a prompt.
 * Without it, commands show less. Only a known sandbox is queried, because a real service has no control API.
 */
export function openBeside(flags: TargetFlags) {
  let client: Client | null = null;
  try {
    const control = knownControl(flags);
    client = control && controlClient(control);
  } catch {
    // The command's own request reports what is wrong with the address.
  }
  return {
    /** The answer, or null if there is none. */
    get: async (path: string): Promise<Answer | null> =>
      (await client?.get(path, {}, { timeoutMs: TIMEOUT_MS, checkWith: null }).catch(() => null)) ?? null,
  };
}

/** The time of the sandbox if it is known, otherwise of this machine. */
export interface SandboxTime {
  readonly nowMs: number;
  readonly isFrozen: boolean;
}

export function timeIn(clock: Answer | null, machineNowMs: number): SandboxTime {
  const nowMs = clock?.now_ms;
  return { nowMs: typeof nowMs === "number" ? nowMs : machineNowMs, isFrozen: clock?.frozen === true };
}
