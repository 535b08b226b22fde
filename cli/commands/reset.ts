import { Command } from "commander";
import { counted } from "../../src/domain/counted.ts";
import { controlClient } from "../client/client.ts";
import { type ControlFlags, resolveControl } from "../client/target.ts";
import { askToGoOn } from "../terminal/ask.ts";
import { controlOptions, jsonOption, withOptions, yesOption } from "../terminal/options.ts";
import { type OutputOptions, printJson, tell } from "../terminal/output.ts";

export function resetCommand(): Command {
  return withOptions(new Command("reset"), ...controlOptions(), yesOption(), jsonOption()).action(reset);
}

async function reset(flags: ControlFlags & OutputOptions & { readonly yes?: true }): Promise<void> {
  const client = controlClient(resolveControl(flags));
  await askToGoOn(async () => {
    const { pagination } = await client.get("/transactions", { limit: "1" });
    const transactions = counted((pagination as { total_items: number }).total_items, "transaction");
    return [
      `The reset removes ${transactions} of the first merchant and all of the others, the rules, faults, webhook and log of requests.`,
      "The clock shows this machine's time again. Merchants, accounts, keys and findings stay. momo export FILE makes a copy first.",
    ];
  }, flags);
  const answer = await client.post("/reset", {}, { ifLost: "repeat" });
  if (flags.json) printJson(answer);
  else tell(answer.message);
}
