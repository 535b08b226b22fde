import { Command } from "commander";
import type { PaymentAccount } from "../../src/domain/merchant.ts";
import { formatTariff, type Tariff } from "../../src/domain/money.ts";
import { type DatabaseFlags, databaseOptions } from "../serving/database-flags.ts";
import { chosenMerchant, withRegistry } from "../serving/registry.ts";
import { askText } from "../terminal/ask.ts";
import { printList, printRecord } from "../terminal/data.ts";
import { dataOption, merchantOption, outputOptions, readTariff, withOptions } from "../terminal/options.ts";
import { asksForJson, type OutputOptions } from "../terminal/output.ts";

interface AccountFlags extends OutputOptions, DatabaseFlags {
  readonly data?: string;
  readonly merchant?: number;
  readonly name?: string;
  readonly fee?: Tariff;
}

export default function accountsCommand(): Command {
  const command = new Command("accounts");
  const create = command
    .command("create")
    .description("open a payment account")
    .option("--name <name>", "what you call it")
    .option("--fee <tariff>", "per payment, as 1%, 10 or 1.5%+10 (default: 1%)", readTariff)
    .action(createAccount);
  const list = command.command("list").description("list a merchant's payment accounts").action(listAccounts);
  withOptions(create, merchantOption(), dataOption(), ...databaseOptions(), ...outputOptions("the id"));
  withOptions(list, merchantOption(), dataOption(), ...databaseOptions(), ...outputOptions("the ids"));
  return command;
}

async function createAccount(flags: AccountFlags): Promise<void> {
  const name =
    flags.name ?? (await askText({ flag: "--name", message: "Name of the payment account", json: asksForJson(flags) }));
  const account = await withRegistry({ ...flags, create: false }, async (registry) => {
    const { id } = await chosenMerchant(registry, flags.merchant);
    return registry.openAccount(id, name, flags.fee);
  });
  printRecord(view(account), flags, account.id);
}

async function listAccounts(flags: AccountFlags): Promise<void> {
  const accounts = await withRegistry({ ...flags, create: false }, async (registry) => {
    const { id } = await chosenMerchant(registry, flags.merchant);
    return registry.listAccounts(id);
  });
  const columns = [{ name: "id" }, { name: "merchant id" }, { name: "name" }, { name: "fee" }];
  printList({ name: "accounts", items: accounts.map(view), essential: "id", columns }, flags);
}

const view = ({ id, merchantId, name, tariff }: PaymentAccount) => ({
  id,
  merchant_id: merchantId,
  name,
  fee: formatTariff(tariff),
});
