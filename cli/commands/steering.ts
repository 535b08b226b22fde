import { Argument, Command, Option } from "commander";
import type { Rule, RuleInForce, SnapshotOnWire } from "../../sandbox/control/shapes/steering.ts";
import { parseChoice } from "../../sandbox/network/choice.ts";
import { OUTCOME_NAMES } from "../../sandbox/network/outcomes.ts";
import { MAX_DESCRIPTION_LENGTH, MAX_REFERENCE_LENGTH } from "../../src/domain/transaction.ts";
import { ADVANCE_TIMEOUT_MS, type Client, controlClient } from "../client/client.ts";
import type { Answer, SendOptions } from "../client/request.ts";
import { type ControlFlags, commandFor, resolveControl } from "../client/target.ts";
import { type Column, printList, printRecord } from "../terminal/data.ts";
import {
  controlOptions,
  outputOptions,
  readAmount,
  readDurationText,
  readId,
  readInstant,
  readMove,
  readOutcome,
  readPathPart,
  readText,
  readTypedPhone,
  readUpTo,
  withOptions,
} from "../terminal/options.ts";
import { asksForJson, formatOf, type OutputOptions, print, printJson, printText, tell } from "../terminal/output.ts";
import { amountText } from "../terminal/payment-lines.ts";
import { misuse } from "../terminal/usage.ts";

/** The commands whose sub-commands are each one call of the control API: rules, default, clock and snapshot; faults.ts and webhooks.ts have two more. */

export interface Flags extends OutputOptions, ControlFlags {
  readonly phone?: string;
  readonly amount?: number;
  readonly account?: number;
  readonly reference?: string;
  readonly description?: string;
  readonly after?: string;
  readonly times?: number;
}

/** @param argument that of the sub-command, if it has one */
type Call<F extends Flags> = (client: Client, flags: F, argument: string) => Promise<Answer>;

export type Show = (answer: Answer, flags: Flags, argument: string) => void;

/** How sub-commands reach the control API, and the options that say where it is. */
interface Way<F> {
  readonly reach: (flags: F, work: (client: Client) => Promise<Answer>, usual: SendOptions) => Promise<Answer>;
  readonly options: () => readonly Option[];
}

const OVER_HTTP: Way<Flags> = {
  reach: (flags, work, usual) => work(controlClient(resolveControl(flags), usual)),
  options: controlOptions,
};

/**
 * A command without sub-commands, and how to add one.
 * @param essential what `-q` prints
 * @param show prints the answer of each sub-command
 */
export function steering<F extends Flags = Flags>(
  name: string,
  essential: string,
  show: Show,
  { reach, options }: Way<F> = OVER_HTTP,
) {
  const command = new Command(name);
  const add = (subName: string, summary: string, call: Call<F>, shows = show): Command => {
    const sub = command.command(subName).description(summary);
    withOptions(sub, ...options(), ...outputOptions(essential));
    return sub.action(async (...given: unknown[]) => {
      const flags = sub.opts<F>();
      const argument = String(given[0]);
      // The first sub-command shows whether a write was done.
      const ifLost = { checkWith: commandFor(flags, name, command.commands[0]?.name() ?? "") };
      shows(await reach(flags, (client) => call(client, flags, argument), { ifLost }), flags, argument);
    });
  };
  return { command, add };
}

/** Tells what was done. It is no data, so stdout has it only as JSON. */
export function tellAnswer(answer: Answer, flags: OutputOptions, essential: unknown): void {
  if (flags.quiet) print(String(essential));
  else if (asksForJson(flags)) printJson(answer);
  else tell(answer.message);
}

/** Prints the message for people, and the whole answer for programs. */
function showAnswer(answer: Answer, flags: OutputOptions, essential: unknown): void {
  if (!flags.quiet && formatOf(flags) === "table") printText(answer.message);
  else printRecord(answer, flags, String(essential));
}

/**
 * Shows the list of an answer.
 * @param next the command to run if it is empty
 */
export const showList =
  <T extends object>(name: string, essential: keyof T & string, columns: readonly Column<T>[], next: string): Show =>
  (answer, flags) => {
    const empty = { said: answer.message, next };
    printList({ name, items: answer[name] as T[], essential, columns, whole: answer, empty }, flags);
  };

/** The same after one was added: `-q` prints only its id. */
export const showAdded =
  (show: Show): Show =>
  (answer, flags, argument) => {
    if (flags.quiet) print(String(answer.id));
    else show(answer, flags, argument);
  };

/** The id of a rule or a fault. */
export const idArgument = (list: string) => new Argument("<id>", `as ${list} shows it`).argParser(readId);

export const timesLeft = {
  name: "times left",
  align: "right",
  cell: ({ times }: { readonly times?: number | null | undefined }) => String(times ?? "always"),
} as const;

/** How often a rule or a fault may apply. @param what how many of what, and what ends then */
export const timesOption = (what: string) => new Option("--times <number>", what).argParser(readUpTo(1_000_000));
const outcomeArgument = () =>
  new Argument("<outcome>", 'one of momo outcomes, or "failed; code=26"').choices(OUTCOME_NAMES).argParser(readOutcome);

/** The members of an outcome and of `--after`. */
const choiceOf = (outcome: string, after: string | undefined) => ({
  ...parseChoice(outcome, "OUTCOME"),
  ...(after !== undefined && { after }),
});

export function rulesCommand(): Command {
  const columns: Column<RuleInForce>[] = [
    { name: "id", align: "right" },
    "outcome",
    { name: "matches", cell: ({ match }) => matchText(match) },
    { name: "after", cell: ({ after }) => after ?? "its own time" },
    timesLeft,
  ];
  const next = "momo rules add cancelled --phone 0712345678 --times 1";
  const show = showList("rules", "id", columns, next);
  const { command, add } = steering("rules", "the ids", show);
  add("list", "show the rules in force, in order", (client) => client.get("/rules", {}));
  add(
    "add",
    "append a rule: what prompts do that match all of its options",
    (client, { phone, amount, account, reference, description, after, times }, outcome) => {
      const match = { phone, amount, payment_account_id: account, reference, description };
      return client.post("/rules", { match, ...choiceOf(outcome, after), times });
    },
    showAdded(show),
  )
    .addArgument(outcomeArgument())
    .option("--phone <number>", "of this customer, or of all that start with 2547*", readPhones)
    .option("--amount <shillings>", "of exactly this amount", (text) => readAmount(text, "--amount"))
    .option("--account <id>", "of this payment account", readId)
    .option(
      "--reference <text>",
      "with this reference, or with this start: LONG-*",
      readText(0, MAX_REFERENCE_LENGTH + 1),
    )
    .option(
      "--description <text>",
      "with this description, or with this start",
      readText(0, MAX_DESCRIPTION_LENGTH + 1),
    )
    .option("--after <duration>", "how long after the start", readDurationText)
    .addOption(timesOption("how many prompts; then the rule ends"));
  add("remove", "remove one rule", (client, _flags, id) => client.delete(`/rules/${id}`)).addArgument(
    idArgument("momo rules list"),
  );
  add("clear", "remove all rules", (client) => client.delete("/rules"));
  return command;
}

/** A phone as a person types it, or the start of phones, which the server reads. */
const readPhones = (text: string) => (text.endsWith("*") ? text : readTypedPhone([text], "--phone"));

function matchText({ phone, amount, payment_account_id, reference, description }: Rule["match"]): string {
  const parts = [
    phone,
    amount === undefined ? undefined : `KES ${amountText(amount)}`,
    payment_account_id === undefined ? undefined : `account ${payment_account_id}`,
    reference === undefined ? undefined : `reference ${reference}`,
    description === undefined ? undefined : `description ${description}`,
  ].filter((part) => part !== undefined);
  return parts.join(", ") || "every prompt";
}

export function defaultCommand(): Command {
  const { command, add } = steering("default", "the outcome", ({ message, ...answer }, flags) => {
    const after = typeof answer.after === "string" ? `, after ${answer.after}` : "";
    showAnswer({ ...answer, message: message + after }, flags, answer.outcome);
  });
  add("show", "show what prompts do if nothing else decides", (client) => client.get("/default", {}));
  add("set", "set what prompts do from now on, until a reset", (client, { after }, outcome) =>
    client.put("/default", choiceOf(outcome, after)),
  )
    .addArgument(outcomeArgument())
    .option("--after <duration>", "how long after the start (default: the outcome's own time)", readDurationText);
  return command;
}

const MOVES = { timeoutMs: ADVANCE_TIMEOUT_MS };

export function clockCommand(): Command {
  const { command, add } = steering<Flags & { readonly to?: string }>(
    "clock",
    "the time, in Nairobi",
    (answer, flags) => showAnswer(answer, flags, answer.now),
  );
  const move = (name: string, summary: string, body: object) =>
    add(name, summary, (client) => client.post("/clock", body, MOVES));
  add("show", "show what time it is for the sandbox", (client) => client.get("/clock", {}));
  move("freeze", "stop the clock", { freeze: true }).alias("stop");
  add("advance", "move it forward, and resolve what falls due", (client, { to }, duration) =>
    client.post("/clock", to === undefined ? { advance: duration } : { to }, MOVES),
  )
    .argument("[duration]", "such as 90s, or 31d", readMove, "")
    .option("--to <time>", "to this time in Nairobi, such as '2026-11-27 00:30'", readInstant)
    .hook("preAction", (_, advance) => {
      if ((advance.args.length === 0) === (advance.opts<{ to?: string }>().to === undefined)) {
        throw misuse("give either DURATION or --to, such as 90s or --to '2026-11-27 00:30'");
      }
    });
  move("resume", "start it again", { resume: true }).alias("start");
  return command;
}

/** A large snapshot is slow on a busy machine. */
const LARGE = { timeoutMs: 60_000 };

export function snapshotCommand(): Command {
  const { command, add } = steering("snapshot", "the names", tellAnswer);
  const columns: Column<SnapshotOnWire>[] = ["name", { name: "transactions", align: "right" }, "at"];
  const list = showList("snapshots", "name", columns, "momo snapshot save NAME");
  add("list", "list the snapshots", (client) => client.get("/snapshots", {}), list);
  const named = (name: string, summary: string, call: (client: Client, path: string) => Promise<Answer>) =>
    add(name, summary, (client, _flags, snapshot) =>
      call(client, `/snapshots/${encodeURIComponent(snapshot)}`),
    ).argument("<name>", "letters, digits, - and _, at most 64", readPathPart);
  named("save", "save the whole state", (client, path) => client.put(path, {}, LARGE));
  named("restore", "restore the whole state, the clock too", (client, path) =>
    client.post(`${path}/restore`, {}, LARGE),
  );
  named("delete", "remove one", (client, path) => client.delete(path));
  return command;
}
