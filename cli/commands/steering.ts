import { Argument, Command, Option } from "commander";
import type { FaultInForce, RuleInForce, SnapshotOnWire } from "../../sandbox/control/shapes/steering.ts";
import type { DeliveryOnWire } from "../../sandbox/control/shapes/webhook.ts";
import { OUTCOME_NAMES } from "../../sandbox/network/outcomes.ts";
import { MAX_REFERENCE_LENGTH } from "../../src/domain/transaction.ts";
import { OPERATION_PATHS } from "../../src/http/operation.ts";
import { ADVANCE_TIMEOUT_MS, type Answer, type Client, controlClient, type SendOptions } from "../client/client.ts";
import { type ControlFlags, commandFor, resolveControl } from "../client/target.ts";
import { type Column, printList, printRecord } from "../terminal/data.ts";
import {
  controlOptions,
  outputOptions,
  readAmount,
  readDurationText,
  readId,
  readProbability,
  readSeed,
  readStatus,
  readText,
  readTypedPhone,
  readUpTo,
  withOptions,
} from "../terminal/options.ts";
import {
  asksForJson,
  cellOf,
  formatOf,
  type OutputOptions,
  print,
  printJson,
  printText,
  tell,
} from "../terminal/output.ts";
import { amountText } from "../terminal/payment-lines.ts";
import { misuse } from "../terminal/usage.ts";

/** The commands whose sub-commands are each one call of the control API: rules, default, faults, clock, webhooks and snapshot. */

interface Flags extends OutputOptions, ControlFlags {
  readonly phone?: string;
  readonly amount?: number;
  readonly account?: number;
  readonly reference?: string;
  readonly after?: string;
  readonly times?: number;
  readonly path?: string;
  readonly status?: number;
  readonly delay?: string;
  readonly probability?: number;
  readonly seed?: number;
}

/**
 * @param argument that of the sub-command, if it has one
 * @param write for a call that writes: names the first sub-command, which shows whether it was done
 */
type Call = (client: Client, flags: Flags, argument: string, write: SendOptions) => Promise<Answer>;

type Show = (answer: Answer, flags: Flags, argument: string) => void;

/**
 * A command without sub-commands, and how to add one.
 * @param essential what `-q` prints
 * @param show prints the answer of each sub-command
 */
function steering(name: string, essential: string, show: Show) {
  const command = new Command(name);
  const add = (subName: string, summary: string, call: Call, shows = show): Command => {
    const sub = command.command(subName).description(summary);
    withOptions(sub, ...controlOptions(), ...outputOptions(essential));
    return sub.action(async (...given: unknown[]) => {
      const flags = sub.opts<Flags>();
      const argument = String(given[0]);
      const write = { ifLost: { checkWith: commandFor(flags, name, command.commands[0]?.name() ?? "") } };
      shows(await call(controlClient(resolveControl(flags)), flags, argument, write), flags, argument);
    });
  };
  return { command, add };
}

/** Tells what was done. It is no data, so stdout has it only as JSON. */
function tellAnswer(answer: Answer, flags: OutputOptions, essential: unknown): void {
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
const showList =
  <T extends object>(name: string, essential: keyof T & string, columns: readonly Column<T>[], next: string): Show =>
  (answer, flags) => {
    const empty = { said: answer.message, next };
    printList({ name, items: answer[name] as T[], essential, columns, whole: answer, empty }, flags);
  };

const timesLeft = {
  name: "times left",
  align: "right",
  cell: ({ times }: { readonly times?: number | null | undefined }) => String(times ?? "always"),
} as const;

/** How often a rule or a fault may apply. @param what how many of what, and what ends then */
const timesOption = (what: string) => new Option("--times <number>", what).argParser(readUpTo(1_000_000));
const outcomeArgument = () => new Argument("<outcome>", "one of momo outcomes").choices(OUTCOME_NAMES);

export function rulesCommand(): Command {
  const columns: Column<RuleInForce>[] = [
    "outcome",
    { name: "matches", cell: ({ match }) => matchText(match) },
    { name: "after", cell: ({ after }) => after ?? "its own time" },
    timesLeft,
  ];
  const next = "momo rules add cancelled --phone 0712345678 --times 1";
  const { command, add } = steering("rules", "the outcomes", showList("rules", "outcome", columns, next));
  add("list", "show the rules in force, in order", (client) => client.get("/rules", {}));
  add(
    "add",
    "append a rule: what prompts do that match all of its options",
    (client, { phone, amount, account, reference, after, times }, outcome, write) => {
      const match = { phone, amount, payment_account_id: account, reference };
      return client.post("/rules", { match, outcome, after, times }, write);
    },
  )
    .addArgument(outcomeArgument())
    .option("--phone <number>", "of this customer", (text) => readTypedPhone([text], "--phone"))
    .option("--amount <shillings>", "of exactly this amount", (text) => readAmount(text, "--amount"))
    .option("--account <id>", "of this payment account", readId)
    .option("--reference <text>", "with this reference", readText(0, MAX_REFERENCE_LENGTH))
    .option("--after <duration>", "how long after the start", readDurationText)
    .addOption(timesOption("how many prompts; then the rule ends"));
  add("clear", "remove all rules", (client) => client.delete("/rules"));
  return command;
}

function matchText({ phone, amount, payment_account_id, reference }: RuleInForce["match"]): string {
  const parts = [
    phone,
    amount === undefined ? undefined : `KES ${amountText(amount)}`,
    payment_account_id === undefined ? undefined : `account ${payment_account_id}`,
    reference === undefined ? undefined : `reference ${reference}`,
  ].filter((part) => part !== undefined);
  return parts.join(", ") || "every prompt";
}

export function defaultCommand(): Command {
  const { command, add } = steering("default", "the outcome", ({ message, ...answer }, flags) => {
    const after = typeof answer.after === "string" ? `, after ${answer.after}` : "";
    showAnswer({ ...answer, message: message + after }, flags, answer.outcome);
  });
  add("show", "show what prompts do if nothing else decides", (client) => client.get("/default", {}));
  add("set", "set what prompts do from now on, until a reset", (client, { after }, outcome, write) =>
    client.put("/default", { outcome, after }, write),
  )
    .addArgument(outcomeArgument())
    .option("--after <duration>", "how long after the start (default: the outcome's own time)", readDurationText);
  return command;
}

type Faults = Answer & { readonly seed: number; readonly faults: readonly FaultInForce[] };

export function faultsCommand(): Command {
  const columns: Column<FaultInForce>[] = [
    "kind",
    { name: "path", cell: ({ path }) => path ?? "every request" },
    { name: "does", cell: ({ status, delay }) => (status ? `HTTP ${status}` : (delay ?? "no answer")) },
    { name: "probability", align: "right" },
    timesLeft,
  ];
  const next = "momo faults add error --path /status.php --status 503 --times 2";
  const { command, add } = steering("faults", "the kinds", showList("faults", "kind", columns, next));
  const kind = new Argument("<kind>", "answer with an error, answer late, or carry out without an answer");
  add("list", "show the faults in force", (client) => client.get("/faults", {}));
  add("add", "make requests of the merchant API fail", addFault)
    .addArgument(kind.choices(["error", "delay", "disconnect"]))
    .addOption(new Option("--path <path>", "requests of this path only").choices(OPERATION_PATHS))
    .option("--status <code>", "of an error (default: 500)", readStatus)
    .option("--delay <duration>", "of a delay, which needs it", readDurationText)
    .option("--probability <share>", "of the requests, such as 0.2 (default: 1)", readProbability)
    .addOption(timesOption("how many requests; then the fault ends"))
    .option("--seed <number>", "the same seed gives the same faults", readSeed);
  add("clear", "remove all faults", (client) => client.delete("/faults"));
  return command;
}

async function addFault(client: Client, flags: Flags, kind: string, write: SendOptions): Promise<Answer> {
  const { path, status, delay, probability, times, seed } = flags;
  if (kind !== "error" && status !== undefined) throw misuse("--status is for an error only");
  if (kind === "delay" && delay === undefined) throw misuse("a delay needs --delay, such as --delay 2s");
  if (kind !== "delay" && delay !== undefined) throw misuse("--delay is for a delay only");
  const now = (await client.get("/faults", {})) as Faults;
  // The control API replaces all faults. Without faults there is no seed to keep.
  const kept = seed ?? (now.faults.length > 0 ? now.seed : undefined);
  const fault = { kind, path, status, delay, probability, times };
  return client.put("/faults", { seed: kept, faults: [...now.faults, fault] }, write);
}

export function clockCommand(): Command {
  const { command, add } = steering("clock", "the time, in Nairobi", (answer, flags) =>
    showAnswer(answer, flags, answer.now),
  );
  const move = (name: string, summary: string, body: (duration: string) => object) =>
    add(name, summary, (client, _flags, duration, write) =>
      client.post("/clock", body(duration), { ...write, timeoutMs: ADVANCE_TIMEOUT_MS }),
    );
  add("show", "show what time it is for the sandbox", (client) => client.get("/clock", {}));
  move("freeze", "stop the clock", () => ({ freeze: true }));
  const advance = move("advance", "move it forward, and resolve what falls due", (duration) => ({ advance: duration }));
  advance.argument("<duration>", "such as 90s", readDurationText);
  move("resume", "start it again", () => ({ resume: true }));
  return command;
}

export function webhooksCommand(): Command {
  const columns: Column<DeliveryOnWire>[] = [
    { name: "id", align: "right" },
    { name: "payment", cell: ({ checkout_request_id }) => checkout_request_id },
    "state",
    { name: "attempts", align: "right", cell: ({ attempts }) => String(attempts.length) },
    { name: "due", cell: ({ due_at }) => due_at },
    { name: "answer", cell: ({ attempts }) => cellOf(attempts.at(-1)?.problem ?? attempts.at(-1)?.status) },
  ];
  const list = showList("deliveries", "id", columns, "momo serve --webhook http://127.0.0.1:3000/");
  const { command, add } = steering("webhooks", "the ids", (answer, flags, argument) => {
    const isEmpty = (answer.deliveries as DeliveryOnWire[]).length === 0; // then the list tells the message itself
    if (!flags.quiet && formatOf(flags) === "table" && !isEmpty) tell(answer.message);
    list(answer, flags, argument);
  });
  add("list", "list what was sent to the webhook, oldest first", (client) => client.get("/webhook", {}));
  add(
    "resend",
    "send one again, as a new delivery",
    (client, _flags, id, write) => client.post(`/webhook/deliveries/${id}/resend`, {}, write),
    (answer, flags) => tellAnswer(answer, flags, (answer.delivery as DeliveryOnWire).id),
  ).argument("<id>", "of the delivery, as momo webhooks list shows it", readId);
  return command;
}

/** A large snapshot is slow on a busy machine. */
const SNAPSHOT_TIMEOUT_MS = 60_000;

export function snapshotCommand(): Command {
  const { command, add } = steering("snapshot", "the names", tellAnswer);
  const columns: Column<SnapshotOnWire>[] = ["name", { name: "transactions", align: "right" }, "at"];
  const list = showList("snapshots", "name", columns, "momo snapshot save NAME");
  add("list", "list the snapshots", (client) => client.get("/snapshots", {}), list);
  const named = (name: string, summary: string, call: (client: Client, path: string, write: SendOptions) => unknown) =>
    add(name, summary, (client, _flags, snapshot, write) => {
      const options = { ...write, timeoutMs: SNAPSHOT_TIMEOUT_MS };
      return call(client, `/snapshots/${encodeURIComponent(snapshot)}`, options) as Promise<Answer>;
    }).argument("<name>", "letters, digits, - and _, at most 64");
  named("save", "save the whole state", (client, path, write) => client.put(path, {}, write));
  named("restore", "restore the whole state, the clock too", (client, path, write) =>
    client.post(`${path}/restore`, {}, write),
  );
  named("delete", "remove one", (client, path) => client.delete(path));
  return command;
}
