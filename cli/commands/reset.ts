import { counted } from "../../src/domain/counted.ts";
import { controlOf } from "../client/client.ts";
import type { ControlFlags } from "../client/target.ts";
import type { Io } from "../io.ts";
import { askToGoOn } from "../terminal/ask.ts";
import { Command } from "../terminal/command.ts";
import { controlOptions, jsonOption, withOptions, yesOption } from "../terminal/options.ts";
import type { OutputOptions } from "../terminal/output.ts";

export function resetCommand(io: Io): Command {
  const command = withOptions(new Command("reset"), ...controlOptions(), yesOption(), jsonOption());
  return command.action((flags: ResetFlags) => reset(io, flags));
}

interface ResetFlags extends ControlFlags, OutputOptions {
  readonly yes?: true;
}

async function reset(io: Io, flags: ResetFlags): Promise<void> {
  const client = controlOf(io, flags);
  await askToGoOn(
    io,
    async () => {
      const { pagination } = await client.get("/transactions", { limit: "1" });
      const transactions = counted((pagination as { total_items: number }).total_items, "transaction");
      return [
        `The reset removes ${transactions} of the first merchant and all of the others, the rules, faults, webhook and log of requests.`,
        "The clock shows this machine's time again. Merchants, accounts, keys and findings stay. momo export FILE makes a copy first.",
      ];
    },
    flags,
  );
  const answer = await client.post("/reset", {}, { ifLost: "repeat" });
  if (flags.json) io.printJson(answer);
  else io.tell(answer.message);
}
