import { Command } from "commander";
import { outcomesView } from "../../sandbox/network/outcomes.ts";
import { jsonOption, quietOption } from "../terminal/options.ts";
import { type OutputOptions, print, printJson, printTable } from "../terminal/output.ts";

export function outcomesCommand(): Command {
  return new Command("outcomes").addOption(jsonOption()).addOption(quietOption("the names")).action(outcomes);
}

async function outcomes(options: OutputOptions): Promise<void> {
  const table = outcomesView();
  if (options.quiet) for (const { name } of table) print(name);
  else if (options.json) printJson(table);
  else {
    await printTable(
      ["name", "status", "code", "test phone", "after", "meaning"],
      table.map(({ name, status, code, phone, after, meaning }) => [
        name,
        status ?? "-",
        code ?? "-",
        phone,
        after ?? "-",
        meaning,
      ]),
    );
  }
}
