import type { Command } from "commander";

/** Each command with its line of help, in groups. Its file is loaded when it is used: all of them take 4 ms and 6 MB. */

/** A line of help, and how to load the command. */
export type CommandTable = Record<string, readonly [summary: string, load: () => Promise<{ default: () => Command }>]>;

const registry = () => import("./commands/registry.ts");
const steering = () => import("./commands/steering.ts");

export const GROUPS: Readonly<Record<string, CommandTable>> = {
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
    rules: ["list, add and clear rules for prompts", async () => ({ default: (await steering()).rulesCommand })],
    default: ["show or set what prompts do by default", async () => ({ default: (await steering()).defaultCommand })],
    faults: ["list, add and clear failures of the merchant API", () => import("./commands/faults.ts")],
    clock: ["show, stop or move the sandbox's clock", async () => ({ default: (await steering()).clockCommand })],
    audit: ["show what clients have done wrong", () => import("./commands/audit.ts")],
    webhooks: ["set and try a webhook; list and resend what was sent", () => import("./commands/webhooks.ts")],
    snapshot: ["save the whole state, and restore it", async () => ({ default: (await steering()).snapshotCommand })],
    reset: ["forget transactions, rules, faults, log and clock", () => import("./commands/reset.ts")],
  },
  "Merchants and keys:": {
    merchants: ["create and list merchants", async () => ({ default: (await registry()).merchantsCommand })],
    accounts: ["create and list payment accounts", async () => ({ default: (await registry()).accountsCommand })],
    keys: ["create, list and revoke API keys", async () => ({ default: (await registry()).keysCommand })],
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
};
