import { Command } from "commander";
import { controlClient } from "../client/client.ts";
import { type ControlFlags, resolveControl } from "../client/target.ts";
import { Failure, toFailure } from "../terminal/failure.ts";
import { controlOptions, withOptions } from "../terminal/options.ts";

export function healthCommand(): Command {
  return withOptions(new Command("health"), ...controlOptions()).action(health);
}

/** Prints nothing and ends with 0 if a server serves, for the probe of a container. Everything else is `unreachable`. */
async function health(flags: ControlFlags): Promise<void> {
  try {
    await controlClient(resolveControl(flags)).get("/health", {});
  } catch (error) {
    const { code, message, hint } = toFailure(error);
    throw new Failure(code === "usage" ? code : "unreachable", message, hint);
  }
}
