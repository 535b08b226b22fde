import { Command } from "commander";
import { controlClient, READS } from "../client/client.ts";
import { type ControlTarget, resolveControl, resolveTarget, type Target, type TargetFlags } from "../client/target.ts";
import { startPrivateSandbox } from "../serving/private-sandbox.ts";
import { addSandboxOptions, configOf } from "../serving/sandbox-flags.ts";
import { NoServer } from "../terminal/failure.ts";

/** The sandbox of an assistant. A private one was started for it, and ends with it. */
export interface Connection {
  readonly target: Target & ControlTarget;
  readonly isPrivate: boolean;
  stop(): Promise<void>;
}

/**
 * Connects to the sandbox of the flags, of the environment or of the data directory; starts a private one if none runs.
 * @throws Failure if a named one does not answer, or refuses the token
 */
export async function connect(flags: TargetFlags): Promise<Connection> {
  try {
    const target = { ...resolveTarget(flags), ...resolveControl(flags) };
    await controlClient(target).get("/clock", {}, READS);
    return { target, isPrivate: false, stop: async () => {} };
  } catch (error) {
    if (!(error instanceof NoServer) || flags.data !== undefined) throw error;
  }
  const sandbox = await startPrivateSandbox(await configOf(addSandboxOptions(new Command()).opts()));
  return { ...sandbox, isPrivate: true };
}
