#!/usr/bin/env bun
import { writeOut } from "./terminal/standard-output.ts";
import { version } from "./version.ts";

/** Each command with its line of help. Its file is loaded when it is used: `momo --version` loads none. */
const COMMANDS = {
  serve: [
    "run the payment service and the simulated network",
    async () => (await import("./commands/serve.ts")).serveCommand(),
  ],
  pay: ["start a payment", async () => (await import("./commands/pay.ts")).payCommand()],
  status: ["show what has become of a payment", async () => (await import("./commands/status.ts")).statusCommand()],
  list: ["list transactions, newest first", async () => (await import("./commands/list.ts")).listCommand()],
  merchants: ["create and list merchants", async () => (await import("./commands/merchants.ts")).merchantsCommand()],
  accounts: [
    "create and list payment accounts",
    async () => (await import("./commands/accounts.ts")).accountsCommand(),
  ],
  keys: ["create, list and revoke API keys", async () => (await import("./commands/keys.ts")).keysCommand()],
  exec: ["run a command with a private sandbox", async () => (await import("./commands/exec.ts")).execCommand()],
  phone: [
    "be the customer: see prompts, enter the PIN or cancel",
    async () => (await import("./commands/phone.ts")).phoneCommand(),
  ],
  answer: [
    "answer a prompt, as its customer or as the network",
    async () => (await import("./commands/answer.ts")).answerCommand(),
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
  export: [
    "copy the database to a file, while it is in use or not",
    async () => (await import("./commands/export.ts")).exportCommand(),
  ],
  import: [
    "put a copy in the place of the database",
    async () => (await import("./commands/import.ts")).importCommand(),
  ],
  doctor: [
    "look for what could be wrong, and say what to do",
    async () => (await import("./commands/doctor.ts")).doctorCommand(),
  ],
  outcomes: ["show what each test phone does", async () => (await import("./commands/outcomes.ts")).outcomesCommand()],
  env: ["print MOMO_* of the running sandbox, for eval", async () => (await import("./commands/env.ts")).envCommand()],
} as const;

const [first] = process.argv.slice(2);
if (first === "--version" || first === "-V") {
  writeOut(`${version}\n`);
} else {
  const { run } = await import("./run.ts");
  await run(COMMANDS, process.argv.slice(2), version);
}
