import { Command } from "commander";
import { controlClient } from "../client/client.ts";
import { commandFor, resolveControl, type TargetFlags } from "../client/target.ts";
import { controlOptions, jsonOption } from "../terminal/options.ts";
import { type OutputOptions, printJson, tell } from "../terminal/output.ts";

type ResetFlags = OutputOptions & Pick<TargetFlags, "baseUrl" | "data">;

export function resetCommand(): Command {
  const command = new Command("reset");
  for (const option of controlOptions()) command.addOption(option);
  return command.addOption(jsonOption()).action(reset);
}

async function reset(flags: ResetFlags): Promise<void> {
  const answer = await controlClient(resolveControl(flags)).post(
    "/reset",
    {},
    { lookWith: commandFor(flags, "list", "--limit", "1") },
  );
  if (flags.json) printJson(answer);
  else tell(answer.message);
}
