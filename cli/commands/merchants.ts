import { Command } from "commander";
import { type Merchant, parseName } from "../../src/domain/merchant.ts";
import { type DatabaseFlags, databaseOptions } from "../serving/database-flags.ts";
import { withRegistry } from "../serving/registry.ts";
import { askText } from "../terminal/ask.ts";
import { printList, printRecord } from "../terminal/data.ts";
import { dataOption, outputOptions, withOptions } from "../terminal/options.ts";
import { asksForJson, type OutputOptions } from "../terminal/output.ts";

interface MerchantFlags extends OutputOptions, DatabaseFlags {
  readonly data?: string;
  readonly name?: string;
}

export default function merchantsCommand(): Command {
  const command = new Command("merchants");
  const create = command
    .command("create")
    .description("register a merchant")
    .option("--name <name>", "shown to customers")
    .action(createMerchant);
  const list = command.command("list").description("list the merchants").action(listMerchants);
  withOptions(create, dataOption(), ...databaseOptions(), ...outputOptions("the id"));
  withOptions(list, dataOption(), ...databaseOptions(), ...outputOptions("the ids"));
  return command;
}

async function createMerchant(flags: MerchantFlags): Promise<void> {
  const name =
    flags.name ?? (await askText({ flag: "--name", message: "Name of the merchant", json: asksForJson(flags) }));
  parseName(name, "--name"); // before a folder is created
  const merchant = await withRegistry({ ...flags, create: true }, (registry) => registry.registerMerchant(name));
  printRecord(view(merchant), flags, merchant.id);
}

async function listMerchants(flags: MerchantFlags): Promise<void> {
  const merchants = await withRegistry({ ...flags, create: false }, (registry) => registry.listMerchants());
  const columns = [{ name: "id" }, { name: "name" }];
  printList({ name: "merchants", items: merchants.map(view), essential: "id", columns }, flags);
}

const view = ({ id, name }: Merchant) => ({ id, name });
