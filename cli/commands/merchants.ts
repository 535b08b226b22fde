import { Command } from "commander";
import { type Merchant, parseName } from "../../src/domain/merchant.ts";
import { withRegistry } from "../serving/registry.ts";
import { askText } from "../terminal/ask.ts";
import { dataOption, jsonOption, quietOption } from "../terminal/options.ts";
import { type OutputOptions, print, printFields, printJson, printTable } from "../terminal/output.ts";

interface MerchantFlags extends OutputOptions {
  readonly data?: string;
  readonly name?: string;
}

export function merchantsCommand(): Command {
  const command = new Command("merchants");
  command
    .command("create")
    .description("register a merchant")
    .option("--name <name>", "shown to customers")
    .addOption(dataOption())
    .addOption(jsonOption())
    .addOption(quietOption("the id"))
    .action(create);
  command
    .command("list")
    .description("list the merchants")
    .addOption(dataOption())
    .addOption(jsonOption())
    .addOption(quietOption("the ids"))
    .action(list);
  return command;
}

async function create(flags: MerchantFlags): Promise<void> {
  const name =
    flags.name ?? (await askText({ flag: "--name", message: "Name of the merchant", json: Boolean(flags.json) }));
  parseName(name, "--name"); // before a folder is made for it
  const merchant = await withRegistry({ data: flags.data, create: true }, (registry) =>
    registry.registerMerchant(name),
  );
  if (flags.quiet) print(String(merchant.id));
  else if (flags.json) printJson(view(merchant));
  else printFields(Object.entries(view(merchant)));
}

async function list(flags: MerchantFlags): Promise<void> {
  const merchants = await withRegistry({ data: flags.data, create: false }, (registry) => registry.listMerchants());
  if (flags.quiet) for (const { id } of merchants) print(String(id));
  else if (flags.json) printJson(merchants.map(view));
  else
    await printTable(
      ["id", "name"],
      merchants.map(({ id, name }) => [id, name]),
    );
}

const view = ({ id, name }: Merchant) => ({ id, name });
