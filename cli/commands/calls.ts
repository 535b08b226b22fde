import { Argument, Option } from "commander";
import type {
  CallCommand,
  CommandArgument,
  CommandOption,
  ShownList,
  ShownSentence,
  ValueName,
} from "../../sandbox/control/rows/row.ts";
import { ROWS } from "../../sandbox/control/rows/rows.ts";
import { Refusal } from "../../src/domain/error.ts";
import type { Client } from "../client/client.ts";
import type { Answer, SendOptions } from "../client/request.ts";
import type { Io } from "../io.ts";
import { Command } from "../terminal/command.ts";
import { type Column, printList, printRecord } from "../terminal/data.ts";
import { noteHelp } from "../terminal/help.ts";
import { misuse } from "../terminal/usage.ts";
import { type Flags, OVER_HTTP, type Own, type Show, steer, tellAnswer } from "./steering.ts";
import { READERS } from "./values.ts";

/** The commands of the rows of the control API. */

/** What commands have that no row can say. */
const OWN: Readonly<Record<string, (io: Io) => Promise<Own>>> = {
  "faults add": async () => (await import("./faults.ts")).ADD_FAULT,
  "webhooks set": async (io) => (await import("./webhooks.ts")).setWebhook(io),
  "webhooks test": async () => (await import("./webhooks.ts")).TEST_WEBHOOK,
};

interface Sender {
  readonly method: string;
  readonly path: string;
  readonly command: CallCommand;
}

const SENDERS: readonly Sender[] = Object.entries(ROWS).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { commands = [] }]) =>
    commands.map((command) => ({ method, path, command })),
  ),
);

/** The command of a word, with its sub-commands. */
export async function callCommand(io: Io, name: string): Promise<Command> {
  const senders = SENDERS.filter(({ command }) => command.of.name === name);
  const [first] = senders;
  if (!first) throw new Error(`no call has the command ${name}`);
  const { of } = first.command;
  const word = new Command(name);
  noteHelp(word, { pages: [of.page] });
  const firstWords = [name, first.command.name].filter((part) => part !== undefined);
  for (const sender of senders) await addSender(io, word, sender, firstWords);
  return word;
}

async function addSender(io: Io, word: Command, sender: Sender, firstWords: readonly string[]): Promise<void> {
  const { command: said } = sender;
  const { of, name, alias, argument, options = [], says = "", examples = [] } = said;
  const command = name === undefined ? word : word.command(name).description(says);
  const { prepare, sends, show = showOf(said) }: Own = (await OWN[`${of.name} ${name}`]?.(io)) ?? {};
  if (alias !== undefined) command.alias(alias);
  if (argument) command.addArgument(argumentOf(argument));
  const bodyOf = sends ?? ((flags, given) => bodyFrom(sender, flags, given));
  const call = (flags: Flags, given: string) => {
    const body = inOptions(() => bodyOf({ ...flags }, given));
    return (client: Client) => send(client, sender, given, body);
  };
  steer(io, command, OVER_HTTP, of.prints, firstWords, call, show);
  prepare?.(command);
  for (const option of options) command.addOption(optionOf(option));
  noteHelp(command, { examples });
}

function argumentOf({ name, isOptional, means, choices, value }: CommandArgument): Argument {
  const argument = new Argument(isOptional ? `[${name}]` : `<${name}>`, means);
  if (choices) argument.choices(choices);
  if (value) argument.argParser(readerOf(value, name.toUpperCase()));
  if (isOptional) argument.default("");
  return argument;
}

function optionOf({ flag, means, choices, value }: CommandOption): Option {
  const option = new Option(flag, means);
  if (choices) option.choices(choices);
  if (value) option.argParser(readerOf(value, option.long ?? flag));
  return option;
}

const readerOf = (value: ValueName, what: string) => (text: string) => READERS[value](text, what);

/** The body of a command: what the row makes of its options, or the options and the argument as they are. */
function bodyFrom({ path, command }: Sender, flags: object, given: string): object {
  const { argument, options = [], sends } = command;
  if (sends) return sends(flags as never, given);
  const typed = flags as Readonly<Record<string, unknown>>;
  const members: Record<string, unknown> = {};
  if (argument && !ID.test(path)) members[argument.name] = given;
  for (const option of options.map(optionOf))
    members[option.name().replaceAll("-", "_")] = typed[option.attributeName()];
  return members;
}

/** A refusal of the row is one of the command line. */
function inOptions<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw error instanceof Refusal ? misuse(error.message) : error;
  }
}

/** @param given the argument: the id in the path, if the path has one */
function send(client: Client, { method, path, command }: Sender, given: string, body: object): Promise<Answer> {
  const place = path.replace(ID, () => encodeURIComponent(given));
  const options: SendOptions = command.timeoutMs === undefined ? {} : { timeoutMs: command.timeoutMs };
  if (method === "GET") return client.get(place, queryOf(body), options);
  if (method === "DELETE") return client.delete(place, options);
  return method === "PUT" ? client.put(place, body, options) : client.post(place, body, options);
}

const ID = /[A-Z_]+/;

const queryOf = (members: object): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  );

/** How a command shows its answer. */
function showOf({ of, shows = of.shows, quiet }: CallCommand): Show {
  return (io, answer, flags, argument) => {
    if (flags.quiet && quiet) io.print(String(quiet(answer as never)));
    else if (shows === "done") tellAnswer(io, answer, flags, argument);
    else if ("list" in shows) showList(io, shows, answer, flags);
    else showSentence(io, shows, answer, flags);
  };
}

function showList(io: Io, { list, quiet, columns, next, tells }: ShownList, answer: Answer, flags: Flags): void {
  const items = answer[list] as Record<string, unknown>[];
  const isTable = !flags.quiet && io.formatOf(flags) === "table";
  // An empty list tells the message itself.
  if (tells && isTable && items.length > 0) io.tell(answer.message);
  const empty = { said: answer.message, next };
  const shown = columns as readonly Column<Record<string, unknown>>[];
  printList(io, { name: list, items, essential: quiet, columns: shown, whole: answer, empty }, flags);
}

/** Prints the sentence for people, and the whole answer for programs. */
function showSentence(io: Io, { sentence, quiet }: ShownSentence, answer: Answer, flags: Flags): void {
  const message = sentence(answer as never);
  if (!flags.quiet && io.formatOf(flags) === "table") io.printText(message);
  else printRecord(io, { ...answer, message }, flags, String(answer[quiet]));
}
