import type { Command } from "commander";

/** Each command with its line of help, in groups. Its file is loaded when it is used: all of them take 4 ms and 6 MB. */

/** A line of help, and how to load the command. */
export type CommandTable = Record<string, readonly [summary: string, load: () => Promise<Command>]>;

const RUN: CommandTable = {
  serve: [
    "run the payment service and the simulated network",
    async () => (await import("./commands/serve.ts")).serveCommand(),
  ],
  exec: ["run a command with a private sandbox", async () => (await import("./commands/exec.ts")).execCommand()],
  open: ["open the console in a browser", async () => (await import("./commands/open.ts")).openCommand()],
  tail: [
    "follow the payments of a running server, line by line",
    async () => (await import("./commands/tail.ts")).tailCommand(),
  ],
};

const PAYMENTS: CommandTable = {
  pay: ["start a payment", async () => (await import("./commands/pay.ts")).payCommand()],
  status: ["show what has become of a payment", async () => (await import("./commands/status.ts")).statusCommand()],
  list: ["list transactions, newest first", async () => (await import("./commands/list.ts")).listCommand()],
  phone: [
    "be the customer: see prompts, enter the PIN or cancel",
    async () => (await import("./commands/phone.ts")).phoneCommand(),
  ],
  answer: [
    "answer a prompt, as its customer or as the network",
    async () => (await import("./commands/answer.ts")).answerCommand(),
  ],
};

const STEERING: CommandTable = {
  outcomes: ["show what each test phone does", async () => (await import("./commands/outcomes.ts")).outcomesCommand()],
  rules: ["list, add and clear rules for prompts", async () => (await import("./commands/rules.ts")).rulesCommand()],
  default: [
    "show or set what prompts do by default",
    async () => (await import("./commands/default.ts")).defaultCommand(),
  ],
  faults: [
    "list, add and clear failures of the merchant API",
    async () => (await import("./commands/faults.ts")).faultsCommand(),
  ],
  clock: ["show, stop or move the sandbox's clock", async () => (await import("./commands/clock.ts")).clockCommand()],
  audit: ["show what clients have done wrong", async () => (await import("./commands/audit.ts")).auditCommand()],
  webhooks: [
    "list and resend what was sent to the webhook",
    async () => (await import("./commands/webhooks.ts")).webhooksCommand(),
  ],
  snapshot: [
    "keep how everything is, and bring it back",
    async () => (await import("./commands/snapshot.ts")).snapshotCommand(),
  ],
  reset: [
    "forget transactions, rules, faults, log and clock",
    async () => (await import("./commands/reset.ts")).resetCommand(),
  ],
};

const MERCHANTS: CommandTable = {
  merchants: ["create and list merchants", async () => (await import("./commands/merchants.ts")).merchantsCommand()],
  accounts: [
    "create and list payment accounts",
    async () => (await import("./commands/accounts.ts")).accountsCommand(),
  ],
  keys: ["create, list and revoke API keys", async () => (await import("./commands/keys.ts")).keysCommand()],
};

const DATA: CommandTable = {
  export: [
    "copy the database to a file, while it is in use or not",
    async () => (await import("./commands/export.ts")).exportCommand(),
  ],
  import: [
    "put a copy in the place of the database",
    async () => (await import("./commands/import.ts")).importCommand(),
  ],
  migrate: [
    "bring a PostgreSQL database up to date",
    async () => (await import("./commands/migrate.ts")).migrateCommand(),
  ],
  doctor: [
    "find what is wrong, and say what to do",
    async () => (await import("./commands/doctor.ts")).doctorCommand(),
  ],
  health: ["end with 0 if the server answers", async () => (await import("./commands/health.ts")).healthCommand()],
};

const SHELL: CommandTable = {
  env: ["print MOMO_* of the running sandbox, for eval", async () => (await import("./commands/env.ts")).envCommand()],
  completion: [
    "print the completion script of a shell",
    async () => (await import("./commands/completion.ts")).completionCommand(),
  ],
};

export const GROUPS: Readonly<Record<string, CommandTable>> = {
  "Run a sandbox:": RUN,
  "Payments:": PAYMENTS,
  "Steer the sandbox:": STEERING,
  "Merchants and keys:": MERCHANTS,
  "Data:": DATA,
  "Shell:": SHELL,
};
