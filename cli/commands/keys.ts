import { Command } from "commander";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { KeyListing, NewKey, Registry } from "../../src/service/registry.ts";
import { systemClock } from "../../src/system.ts";
import { locateDataDirectory } from "../serving/data-directory.ts";
import { type DatabaseFlags, databaseOptions } from "../serving/database-flags.ts";
import { readCredentials, readOrNull } from "../serving/records.ts";
import { chosenMerchant, withRegistry } from "../serving/registry.ts";
import { askToGoOn, askWhich } from "../terminal/ask.ts";
import { printList, printRecord } from "../terminal/data.ts";
import { dataOption, merchantOption, outputOptions, withOptions, yesOption } from "../terminal/options.ts";
import { asksForJson, formatOf, type OutputOptions, print, printJson, tell } from "../terminal/output.ts";

interface KeyFlags extends OutputOptions, DatabaseFlags {
  readonly yes?: true;
  readonly data?: string;
  readonly merchant?: number;
  readonly label?: string;
}

export default function keysCommand(): Command {
  const command = new Command("keys");
  const create = command
    .command("create")
    .description("create a key; its secret is shown only once")
    .option("--label <text>", "what it is for (default: when it was made, in Nairobi)")
    .action(createKey);
  const list = command.command("list").description("list a merchant's keys in force").action(listKeys);
  const revoke = command
    .command("revoke")
    .description("refuse a key from now on")
    .argument("<api-key>", "the key, mk_…")
    .action(revokeKey);
  const place = () => [dataOption(), ...databaseOptions()];
  withOptions(create, merchantOption(), ...place(), ...outputOptions("the key on stdout, its secret on stderr"));
  withOptions(list, merchantOption(), ...place(), ...outputOptions("the keys"));
  withOptions(revoke, yesOption(), ...place(), ...outputOptions("the key"));
  return command;
}

async function createKey(flags: KeyFlags): Promise<void> {
  const key = await withRegistry({ ...flags, create: false }, async (registry) => {
    const merchantId = await merchantIdOf(registry, flags);
    return registry.issueKey(merchantId, flags.label ?? `made ${formatTimestamp(systemClock.nowMs())}`);
  });
  if (flags.quiet) {
    print(key.apiKey);
    tell(key.apiSecret); // shown only now, so it is printed also with -q
    return;
  }
  printRecord(newKeyView(key), flags, key.apiKey);
  if (formatOf(flags) === "table") {
    tell();
    tell("The secret is not shown again: momo keeps only a hash of it.");
  }
}

async function merchantIdOf(registry: Registry, { merchant, ...output }: KeyFlags): Promise<number> {
  if (merchant !== undefined) return (await chosenMerchant(registry, merchant)).id;
  const choices = (await registry.listMerchants()).map(({ id, name }) => ({ value: id, label: `${name} (${id})` }));
  const chosen = await askWhich({ message: "Which merchant?", json: asksForJson(output) }, choices);
  return chosen ?? (await registry.firstMerchant()).id;
}

async function listKeys(flags: KeyFlags): Promise<void> {
  const keys = await withRegistry({ ...flags, create: false }, async (registry) => {
    const { id } = await chosenMerchant(registry, flags.merchant);
    return registry.listKeys(id);
  });
  const columns = [{ name: "api key" }, { name: "merchant id" }, { name: "label" }];
  printList({ name: "keys", items: keys.map(view), essential: "api_key", columns }, flags);
}

async function revokeKey(apiKey: string, flags: KeyFlags): Promise<void> {
  const directory = locateDataDirectory(flags.data);
  if (readOrNull(() => readCredentials(directory))?.api_key === apiKey) {
    await askToGoOn(
      () => [
        `${apiKey} is the key in ${directory.credentials}: commands without --api-key use it, and are refused from now on.`,
        "The next momo serve makes a new one.",
      ],
      flags,
    );
  }
  await withRegistry({ ...flags, create: false }, (registry) => registry.revokeKey(apiKey));
  if (flags.quiet) print(apiKey);
  else if (asksForJson(flags)) printJson({ api_key: apiKey, revoked: true });
  else tell(`revoked ${apiKey}`);
}

const view = ({ apiKey, merchantId, label }: KeyListing) => ({ api_key: apiKey, merchant_id: merchantId, label });

const newKeyView = ({ apiSecret, ...key }: NewKey) => {
  const { api_key, merchant_id, label } = view(key);
  return { api_key, api_secret: apiSecret, merchant_id, label };
};
