import { Command, Option } from "commander";
import { formatTariff, type Tariff } from "../../src/domain/fee.ts";
import type { PaymentAccount } from "../../src/domain/merchant.ts";
import { chosenMerchant, withRegistry } from "../serving/registry.ts";
import { askText } from "../terminal/ask.ts";
import { dataOption, jsonOption, merchantOption, quietOption, readTariff } from "../terminal/options.ts";
import { type OutputOptions, print, printFields, printJson, printTable } from "../terminal/output.ts";

interface AccountFlags extends OutputOptions {
  readonly data?: string;
  readonly merchant?: number;
  readonly name?: string;
  readonly fee?: Tariff;
}

export function accountsCommand(): Command {
  const command = new Command("accounts");
  command
    .command("create")
    .description("open a payment account")
    .option("--name <name>", "what you call it")
    .addOption(new Option("--fee <tariff>", "per payment, as 1%, 10 or 1.5%+10 (default: 1%)").argParser(readTariff))
    .addOption(merchantOption())
    .addOption(dataOption())
    .addOption(jsonOption())
    .addOption(quietOption("the id"))
    .action(create);
  command
    .command("list")
    .description("list a merchant's payment accounts")
    .addOption(merchantOption())
    .addOption(dataOption())
    .addOption(jsonOption())
    .addOption(quietOption("the ids"))
    .action(list);
  return command;
}

async function create(flags: AccountFlags): Promise<void> {
  const name =
    flags.name ??
    (await askText({ flag: "--name", message: "Name of the payment account", json: Boolean(flags.json) }));
  const account = await withRegistry({ data: flags.data, create: false }, async (registry) => {
    const { id } = await chosenMerchant(registry, flags.merchant);
    return registry.openAccount(id, name, flags.fee);
  });
  if (flags.quiet) print(String(account.id));
  else if (flags.json) printJson(view(account));
  else printFields(Object.entries(view(account)));
}

async function list(flags: AccountFlags): Promise<void> {
  const accounts = await withRegistry({ data: flags.data, create: false }, async (registry) => {
    const { id } = await chosenMerchant(registry, flags.merchant);
    return registry.listAccounts(id);
  });
  if (flags.quiet) for (const { id } of accounts) print(String(id));
  else if (flags.json) printJson(accounts.map(view));
  else {
    await printTable(
      ["id", "merchant", "name", "fee"],
      accounts.map(({ id, merchantId, name, tariff }) => [id, merchantId, name, formatTariff(tariff)]),
    );
  }
}

const view = ({ id, merchantId, name, tariff }: PaymentAccount) => ({
  id,
  merchant_id: merchantId,
  name,
  fee: formatTariff(tariff),
});
