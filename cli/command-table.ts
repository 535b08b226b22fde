import type { Io } from "./io.ts";
import { Command } from "./terminal/command.ts";

/** A line of help, and how to load the file of the command, which exports `NAMECommand`. */
type CommandTable = Record<string, readonly [summary: string, load: () => Promise<object>]>;

/** In groups, as the help shows them. */
export type CommandGroups = Readonly<Record<string, CommandTable>>;

const registry = () => import("./commands/registry.ts");

/** The commands with a file of their own. It is loaded when its command is used: the others take 22 of 47 ms of momo list. */
export const COMMANDS = {
  "Run a sandbox:": {
    serve: ["run the payment service and the simulated network", () => import("./commands/serve.ts")],
    exec: ["run a command with a private sandbox", () => import("./commands/exec.ts")],
    mcp: ["serve a coding assistant (MCP)", () => import("./commands/mcp.ts")],
    open: ["open the console in a browser", () => import("./commands/open.ts")],
    tail: ["follow the payments of a running server, line by line", () => import("./commands/tail.ts")],
  },
  "Payments:": {
    pay: ["start a payment", () => import("./commands/pay.ts")],
    status: ["show the status of a payment", () => import("./commands/status.ts")],
    list: ["list transactions, newest first", () => import("./commands/list.ts")],
    phone: ["be the customer: see prompts, enter the PIN or cancel", () => import("./commands/phone.ts")],
    answer: ["answer a prompt, as its customer or as the network", () => import("./commands/answer.ts")],
  },
  "Steer the sandbox:": {
    outcomes: ["show what each test phone does", () => import("./commands/outcomes.ts")],
    audit: ["show what clients have done wrong", () => import("./commands/audit.ts")],
    reset: ["forget transactions, rules, faults, log and clock", () => import("./commands/reset.ts")],
  },
  "Merchants and keys:": {
    merchants: ["create and list merchants", registry],
    accounts: ["create and list payment accounts", registry],
    keys: ["create, list and revoke API keys", registry],
  },
  "Data:": {
    export: ["copy the database to a file, while it is in use or not", () => import("./commands/export.ts")],
    import: ["replace the database by a copy", () => import("./commands/import.ts")],
    migrate: ["bring a PostgreSQL database up to date", () => import("./commands/migrate.ts")],
    check: ["hold a payment service against the specification", () => import("./commands/check.ts")],
    doctor: ["find what is wrong, and say what to do", () => import("./commands/doctor.ts")],
    health: ["end with 0 if the server answers", () => import("./commands/health.ts")],
  },
  "Shell:": {
    client: ["print a client in one file, to copy into a program", () => import("./commands/client.ts")],
    env: ["print MOMO_* of the running sandbox, for eval", () => import("./commands/env.ts")],
    completion: ["print the completion script of a shell", () => import("./commands/completion.ts")],
  },
} satisfies CommandGroups;

/** The groups that have the command; all commands if `name` has no file of its own, which loads the calls of the control API. */
export const groupsWith = async (name: string | undefined): Promise<CommandGroups> =>
  isIn(COMMANDS, name) ? COMMANDS : allGroups();

export const isIn = (groups: CommandGroups, name: string | undefined): boolean =>
  name !== undefined && Object.values(groups).some((commands) => Object.hasOwn(commands, name));

export async function allGroups(): Promise<CommandGroups> {
  const { outcomes, ...others } = COMMANDS["Steer the sandbox:"];
  return { ...COMMANDS, "Steer the sandbox:": { outcomes, ...(await commandsOfCalls()), ...others } };
}

/** Those that only send a call of the control API. */
async function commandsOfCalls(): Promise<CommandTable> {
  const { ROWS } = await import("../sandbox/control/rows/rows.ts");
  const table: Record<string, CommandTable[string]> = {};
  for (const row of Object.values(ROWS).flatMap((methods) => Object.values(methods))) {
    for (const { of } of row.commands ?? []) {
      table[of.name] ??= [of.says, () => loadOfCalls(of.name)];
    }
  }
  return table;
}

async function loadOfCalls(name: string): Promise<object> {
  const { callCommand } = await import("./commands/calls.ts");
  return { [`${name}Command`]: (io: Io) => callCommand(io, name) };
}

/** @param load of the table */
export async function makeCommand(io: Io, name: string, load: () => Promise<object>): Promise<Command> {
  const made: Record<string, (io: Io) => Command | Promise<Command>> = { ...(await load()) };
  return (await made[`${name}Command`]?.(io)) ?? new Command(name);
}
