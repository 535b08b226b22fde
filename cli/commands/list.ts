import { Option } from "commander";
import { FILTER_NAMES, type FilterName, filterOf } from "../../src/domain/filters.ts";
import { MAX_PAGE_LIMIT } from "../../src/domain/list.ts";
import { ABOUT_PAYMENT, merchantClient, openOptionalControl, timeIn } from "../client/client.ts";
import { itemsOf, numberOf } from "../client/find.ts";
import type { Answer } from "../client/request.ts";
import { commandFor, optionsFor, resolveTarget, type TargetFlags } from "../client/target.ts";
import type { Io } from "../io.ts";
import { Command } from "../terminal/command.ts";
import { type Column, printList } from "../terminal/data.ts";
import { Failure } from "../terminal/failure.ts";
import {
  must,
  outputOptions,
  readId,
  readPaymentName,
  readUpTo,
  ruled,
  serverOptions,
  withOptions,
  wordOption,
} from "../terminal/options.ts";
import { cellOf, type OutputOptions } from "../terminal/output.ts";
import { ageText, amountText, reasonText, statusPiece } from "../terminal/payment-lines.ts";
import { misuse } from "../terminal/usage.ts";

type Item = Record<string, unknown>;
type Query = Record<string, string>;

/** Also the options of the other filters, by their names. */
interface ListFlags extends TargetFlags, OutputOptions {
  readonly page?: number;
  readonly limit?: number;
  readonly id?: string;
}

export function listCommand(io: Io): Command {
  const command = new Command("list");
  command
    .option("--page <number>", "from 1", readId)
    .option("--limit <number>", "transactions on a page, at most 100 (default: 10)", readUpTo(MAX_PAGE_LIMIT));
  const filters = FILTER_NAMES.map(filterOption);
  withOptions(command, ...filters, ...serverOptions(), ...outputOptions("the transaction ids"));
  return command.action((flags: ListFlags) => list(io, flags));
}

function filterOption(name: FilterName): Option {
  const { flag, words, choices, rule, parse } = filterOf(name);
  if (choices) return wordOption(flag, choices);
  // The command also takes a request id, which it searches for.
  if (name === "id")
    return new Option(flag, `${words} or its request id`).argParser((text) => isIdOfOne(readPaymentName(text)));
  return new Option(flag, words).argParser(ruled(rule, (text) => parse(text) !== null));
}

/** The filters of a command line, by the names of their options, in which `--from` is `from`. */
function filtersIn(flags: ListFlags): Partial<Record<FilterName, string>> {
  const given = FILTER_NAMES.map((name) => [name, Object(flags)[attributeOf(name)]]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

const attributeOf = (name: FilterName): string => new Option(filterOf(name).flag).attributeName();

/** Another text would find the payments whose phone or reference begins with it. */
const isIdOfOne = must(
  "be the number of a payment, such as 12, or its request id, such as ws_CO_…",
  (text) => numberOf(text) !== null || text.startsWith("ws_"),
);

async function list(io: Io, flags: ListFlags): Promise<void> {
  const query = queryOf(flags);
  const about = flags.id === undefined ? {} : ABOUT_PAYMENT;
  const target = resolveTarget(io, flags);
  const answer = await merchantClient(target).get("/transactions.php", query, about);
  const items = itemsOf(answer);
  if (flags.id !== undefined && items.length === 0) {
    throw new Failure("not_found", `there is no transaction ${flags.id}`, "momo list shows them");
  }
  if (flags.quiet || io.formatOf(flags) !== "table") {
    printList(io, { name: "transactions", items, essential: "id", columns: [], whole: answer }, flags);
  } else {
    await printForPeople(io, answer, items, { ...query, api_key: target.apiKey }, flags);
  }
}

function queryOf(flags: ListFlags): Query {
  const { page, limit } = flags;
  const filters = filtersIn(flags);
  const { date_from: from, date_to: to, search, id } = filters;
  // Days in this form can be compared as text.
  if (from && to && from > to) throw misuse(`--from must not be after --to; they are ${from} and ${to}`);
  if (id !== undefined && (page !== undefined || limit !== undefined)) {
    throw misuse("--page and --limit cannot be used with --id, which shows one transaction");
  }
  const isNumber = id === undefined || numberOf(id) !== null;
  if (!isNumber && search !== undefined) {
    throw misuse("--search cannot be used with the request id of --id: give one of them");
  }
  const one = isNumber ? { search, id } : { search: id, id: undefined };
  const asked = { page, limit, ...filters, ...one };
  return Object.fromEntries(
    Object.entries(asked).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );
}

/** @param query of the control API's list, which also has the references and the sandbox's time */
async function printForPeople(
  io: Io,
  answer: Answer,
  items: readonly Item[],
  query: Query,
  flags: ListFlags,
): Promise<void> {
  const pages = pagesOf(answer);
  if (items.length === 0) {
    const { text, next } = nothingShown(pages, flags);
    io.tell(text);
    io.tellCommand("Next:", commandFor(flags, ...next));
    return;
  }
  const known = await openOptionalControl(io, flags)(`/transactions?${new URLSearchParams(query)}`);
  const { nowMs } = timeIn(known, io.clock.nowMs());
  const rows = (known?.transactions ?? []) as readonly Item[];
  const references = new Map(rows.map(({ id, reference }) => [id, reference]));
  const all: Exclude<Column<Item>, string>[] = [
    { name: "id", align: "right" },
    // The list is sorted by time anyway.
    { name: "age", optional: true, cell: ({ created_at }) => ageText(created_at, nowMs) },
    { name: "status", cell: ({ status }) => statusPiece(status) },
    { name: "amount", align: "right", cell: ({ amount }) => amountText(amount) },
    { name: "phone" },
    { name: "reference", cell: ({ id }) => cellOf(references.get(id)) },
    { name: "reason", cell: reasonText },
  ];
  const columns = all.filter(({ cell }) => !cell || items.some((item) => cell(item) !== ""));
  printList(io, { name: "transactions", items, essential: "id", columns }, flags);
  io.tell();
  io.tell(`page ${pages.current_page} of ${pages.total_pages}, ${pages.total_items} in all`);
  if (pages.current_page < pages.total_pages)
    io.tellCommand("Next page:", commandFor(flags, ...listAgain(flags, pages.current_page + 1)));
  io.tellCommand("One of them:", commandFor(flags, "status", cellOf(items[0]?.id)));
}

/** Why there is nothing, and what shows something. */
function nothingShown(pages: Pages, flags: ListFlags): { readonly text: string; readonly next: readonly string[] } {
  if (pages.total_items > 0) return { text: `page ${pages.current_page} is past the end`, next: listAgain(flags) };
  if (Object.keys(filtersIn(flags)).length > 0) return { text: "no transaction fits", next: ["list"] };
  return { text: "no transactions", next: ["pay", "0712345678", "100", "--wait"] };
}

interface Pages {
  readonly current_page: number;
  readonly total_pages: number;
  readonly total_items: number;
}

function pagesOf({ pagination }: Answer): Pages {
  const pages = { ...(pagination as Partial<Pages> | undefined) };
  if ([pages.current_page, pages.total_pages, pages.total_items].every(Number.isInteger)) return pages as Pages;
  throw new Failure("unexpected", "the service answered without a pagination");
}

/** The same list, from another page; without one from the first. */
function listAgain(flags: ListFlags, page?: number): string[] {
  const filters = Object.entries(filtersIn(flags)).map(([name, value]) => [attributeOf(name as FilterName), value]);
  return ["list", ...optionsFor({ limit: flags.limit, ...Object.fromEntries(filters), page })];
}
