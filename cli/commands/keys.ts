import { Command } from "commander";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { KeyListing, NewKey, Registry } from "../../src/service/registry.ts";
import { systemClock } from "../../src/system.ts";
import { chosenMerchant, withRegistry } from "../serving/registry.ts";
import { askWhich } from "../terminal/ask.ts";
import { dataOption, jsonOption, merchantOption, quietOption } from "../terminal/options.ts";
import { type OutputOptions, print, printFields, printJson, printTable, tell } from "../terminal/output.ts";

interface KeyFlags extends OutputOptions {
  readonly data?: string;
  readonly merchant?: number;
  readonly label?: string;
}

export function keysCommand(): Command {
  const command = new Command("keys");
  command
    .command("create")
    .description("make a key; its secret is shown this once")
    .option("--label <text>", "what it is for (default: when it was made, in Nairobi)")
    .addOption(merchantOption())
    .addOption(dataOption())
    .addOption(jsonOption())
    .addOption(quietOption("the key on stdout, its secret on stderr"))
    .action(create);
  command
    .command("list")
    .description("list a merchant's keys in force")
    .addOption(merchantOption())
    .addOption(dataOption())
    .addOption(jsonOption())
    .addOption(quietOption("the keys"))
    .action(list);
  command
    .command("revoke")
    .description("refuse a key from now on")
    .argument("<api-key>", "the key, mk_…")
    .addOption(dataOption())
    .addOption(jsonOption())
    .addOption(quietOption("the key"))
    .action(revoke);
  return command;
}

async function create(flags: KeyFlags): Promise<void> {
  const key = await withRegistry({ data: flags.data, create: false }, async (registry) => {
    const merchantId = await whose(registry, flags);
    return registry.issueKey(merchantId, flags.label ?? `made ${formatTimestamp(systemClock.nowMs())}`);
  });
  if (flags.quiet) {
    print(key.apiKey);
    tell(key.apiSecret); // shown once, so never lost
  } else if (flags.json) printJson(newKeyView(key));
  else {
    printFields(Object.entries(newKeyView(key)));
    tell();
    tell("The secret is not shown again: momo keeps only a hash of it.");
  }
}

async function whose(registry: Registry, { merchant, json }: KeyFlags): Promise<number> {
  if (merchant !== undefined) return (await chosenMerchant(registry, merchant)).id;
  const choices = (await registry.listMerchants()).map(({ id, name }) => ({ value: id, label: `${name} (${id})` }));
  const chosen = await askWhich({ message: "Which merchant?", json: Boolean(json) }, choices);
  return chosen ?? (await registry.firstMerchant()).id;
}

async function list(flags: KeyFlags): Promise<void> {
  const keys = await withRegistry({ data: flags.data, create: false }, async (registry) => {
    const { id } = await chosenMerchant(registry, flags.merchant);
    return registry.listKeys(id);
  });
  if (flags.quiet) for (const { apiKey } of keys) print(apiKey);
  else if (flags.json) printJson(keys.map(view));
  else
    await printTable(
      ["API key", "merchant", "label"],
      keys.map(({ apiKey, merchantId, label }) => [apiKey, merchantId, label]),
    );
}

async function revoke(apiKey: string, flags: KeyFlags): Promise<void> {
  await withRegistry({ data: flags.data, create: false }, (registry) => registry.revokeKey(apiKey));
  if (flags.quiet) print(apiKey);
  else if (flags.json) printJson({ api_key: apiKey, revoked: true });
  else tell(`revoked ${apiKey}`);
}

const view = ({ apiKey, merchantId, label }: KeyListing) => ({ api_key: apiKey, merchant_id: merchantId, label });

const newKeyView = ({ apiSecret, ...key }: NewKey) => {
  const { api_key, merchant_id, label } = view(key);
  return { api_key, api_secret: apiSecret, merchant_id, label };
};
