import { controlOf } from "../client/client.ts";
import type { ControlFlags } from "../client/target.ts";
import type { Io } from "../io.ts";
import { Command } from "../terminal/command.ts";
import { Failure, toFailure } from "../terminal/failure.ts";
import { controlOptions, withOptions } from "../terminal/options.ts";

export function healthCommand(io: Io): Command {
  const command = withOptions(new Command("health"), ...controlOptions());
  return command.action((flags: ControlFlags) => health(io, flags));
}

/** Prints nothing and ends with 0 if a server serves, for the probe of a container. Everything else is `unreachable`. */
async function health(io: Io, flags: ControlFlags): Promise<void> {
  try {
    await controlOf(io, flags).get("/health", {});
  } catch (error) {
    const { code, message, hint } = toFailure(error);
    throw new Failure(code === "usage" ? code : "unreachable", message, hint);
  }
}
