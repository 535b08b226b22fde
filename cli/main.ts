#!/usr/bin/env bun
import { writeOut } from "./standard-output.ts";
import { version } from "./version.ts";

/** Each command with its line of help. Its file is loaded when it is used: `momo --version` loads none. */
const COMMANDS = {
  serve: ["run the payment service and the simulated network", async () => (await import("./serve.ts")).serveCommand()],
  pay: ["start a payment", async () => (await import("./pay.ts")).payCommand()],
  status: ["show what has become of a payment", async () => (await import("./status.ts")).statusCommand()],
  list: ["list transactions, newest first", async () => (await import("./list.ts")).listCommand()],
  merchants: ["create and list merchants", async () => (await import("./merchants.ts")).merchantsCommand()],
  accounts: ["create and list payment accounts", async () => (await import("./accounts.ts")).accountsCommand()],
  keys: ["create, list and revoke API keys", async () => (await import("./keys.ts")).keysCommand()],
  exec: ["run a command with a private sandbox", async () => (await import("./exec.ts")).execCommand()],
  phone: [
    "be the customer: see prompts, enter the PIN or cancel",
    async () => (await import("./phone.ts")).phoneCommand(),
  ],
  answer: [
    "answer a prompt, as its customer or as the network",
    async () => (await import("./answer.ts")).answerCommand(),
  ],
  clock: ["show, stop or move the sandbox's clock", async () => (await import("./clock.ts")).clockCommand()],
  reset: ["forget transactions, rules, faults, log and clock", async () => (await import("./reset.ts")).resetCommand()],
  export: [
    "copy the database to a file, while it is in use or not",
    async () => (await import("./export.ts")).exportCommand(),
  ],
  import: ["put a copy in the place of the database", async () => (await import("./import.ts")).importCommand()],
  doctor: [
    "look for what could be wrong, and say what to do",
    async () => (await import("./doctor.ts")).doctorCommand(),
  ],
  outcomes: ["show what each test phone does", async () => (await import("./outcomes.ts")).outcomesCommand()],
  env: ["print MOMO_* of the running sandbox, for eval", async () => (await import("./env.ts")).envCommand()],
} as const;

const [first] = process.argv.slice(2);
if (first === "--version" || first === "-V") {
  writeOut(`${version}\n`);
} else {
  const { run } = await import("./run.ts");
  await run(COMMANDS, process.argv.slice(2), version);
}
