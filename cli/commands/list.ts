import { Command } from "commander";
import { type Answer, merchantClient } from "../client/client.ts";
import { resolveTarget, type TargetFlags } from "../client/target.ts";
import { Failure } from "../terminal/failure.ts";
import { jsonOption, quietOption, serverOptions } from "../terminal/options.ts";
import { type OutputOptions, print, printJson, printTable, tell } from "../terminal/output.ts";
import { isTerminal } from "../terminal/standard-output.ts";

interface ListFlags extends TargetFlags, OutputOptions {
  readonly page?: string;
  readonly limit?: string;
  readonly type?: string;
  readonly status?: string;
  readonly from?: string;
  readonly to?: string;
  readonly search?: string;
  readonly id?: string;
}

export function listCommand(): Command {
  const command = new Command("list")
    .option("--page <number>", "from 1")
    .option("--limit <number>", "transactions on a page, at most 100 (default: 10)")
    .option("--type <type>", "api, web, wallet_deposit or credit_topup")
    .option("--status <status>", "pending, completed, failed, cancelled or expired")
    .option("--from <day>", "first day, YYYY-MM-DD, in Nairobi")
    .option("--to <day>", "last day, YYYY-MM-DD, in Nairobi")
    .option("--search <prefix>", "start of a phone, reference, code, receipt number or request id")
    .option("--id <number>", "one transaction");
  for (const option of serverOptions()) command.addOption(option);
  return command.addOption(jsonOption()).addOption(quietOption("the transaction ids")).action(list);
}

async function list(flags: ListFlags): Promise<void> {
  const { page, limit, type, status, from, to, search, id } = flags;
  const query = { page, limit, type, status, date_from: from, date_to: to, search, id };
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const answer = await merchantClient(resolveTarget(flags)).get("/transactions.php", Object.fromEntries(given));
  if (flags.quiet) {
    for (const item of itemsOf(answer)) print(String(item.id));
  } else if (flags.json || !isTerminal()) {
    printJson(answer);
  } else {
    await printForPeople(answer);
  }
}

async function printForPeople(answer: Answer): Promise<void> {
  const shown = ["id", "created_at", "type", "status", "amount", "phone", "transaction_code"];
  const rows = itemsOf(answer).map((item) => shown.map((column) => String(item[column] ?? "")));
  await printTable(
    shown.map((column) => column.replaceAll("_", " ")),
    rows,
  );
  const { pagination } = answer;
  if (!isRecord(pagination)) throw new Failure("unexpected", "the service answered without a pagination");
  const { current_page, total_pages, total_items } = pagination;
  tell(`page ${current_page} of ${total_pages}, ${total_items} in all`);
}

/** Under its name in the full form, or in the short one. */
function itemsOf(answer: Answer): Record<string, unknown>[] {
  const items = answer.transactions ?? answer.data;
  if (!Array.isArray(items) || !items.every((item) => isRecord(item) && Number.isInteger(item.id))) {
    throw new Failure("unexpected", "the service answered without a list of transactions");
  }
  return items;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;
