import { Argument, Command, Option } from "commander";
import type { RuleInForce } from "../../sandbox/control/shapes/steering.ts";
import { OUTCOME_NAMES } from "../../sandbox/network/outcomes.ts";
import { MAX_REFERENCE_LENGTH } from "../../src/domain/transaction.ts";
import { type Answer, type Client, controlClient } from "../client/client.ts";
import { resolveControl, type TargetFlags } from "../client/target.ts";
import { printList } from "../terminal/data.ts";
import {
  controlOptions,
  outputOptions,
  readDurationText,
  readId,
  readText,
  readUpTo,
  withOptions,
} from "../terminal/options.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { amountText } from "../terminal/payment-lines.ts";
import { readAmount, readTypedPhone } from "../terminal/typed-phone.ts";

interface RuleFlags extends OutputOptions, Pick<TargetFlags, "baseUrl" | "data"> {
  readonly phone?: string;
  readonly amount?: number;
  readonly account?: number;
  readonly reference?: string;
  readonly after?: string;
  readonly times?: number;
}

/** How often a rule or a fault may apply. */
export const timesOption = () =>
  new Option("--times <number>", "how many prompts; then the rule ends").argParser(readUpTo(1_000_000));

export default function rulesCommand(): Command {
  const command = new Command("rules");
  const list = command.command("list").description("show the rules in force, in order");
  const add = command
    .command("add")
    .description("append a rule: what prompts do that match all of its options")
    .addArgument(new Argument("<outcome>", "one of momo outcomes").choices(OUTCOME_NAMES))
    .option("--phone <number>", "of this customer", (text) => readTypedPhone([text], "--phone"))
    .option("--amount <shillings>", "of exactly this amount", (text) => readAmount(text, "--amount"))
    .option("--account <id>", "of this payment account", readId)
    .option("--reference <text>", "with this reference", readText(0, MAX_REFERENCE_LENGTH))
    .option("--after <duration>", "how long after the start", readDurationText)
    .addOption(timesOption());
  const clear = command.command("clear").description("remove all rules");
  for (const sub of [list, add, clear]) withOptions(sub, ...controlOptions(), ...outputOptions("the outcomes"));
  list.action((flags: RuleFlags) => show(flags, (client) => client.get("/rules", {})));
  add.action((outcome: string, flags: RuleFlags) =>
    show(flags, (client) => client.post("/rules", ruleOf(outcome, flags), { checkWith: "momo rules list" })),
  );
  clear.action((flags: RuleFlags) => show(flags, (client) => client.delete("/rules")));
  return command;
}

function ruleOf(outcome: string, { phone, amount, account, reference, after, times }: RuleFlags) {
  return { match: { phone, amount, payment_account_id: account, reference }, outcome, after, times };
}

async function show(flags: RuleFlags, call: (client: Client) => Promise<Answer>): Promise<void> {
  const answer = (await call(controlClient(resolveControl(flags)))) as Answer & { rules: RuleInForce[] };
  const columns = [
    { name: "outcome" },
    { name: "matches", cell: ({ match }: RuleInForce) => matchText(match) },
    { name: "after", cell: ({ after }: RuleInForce) => after ?? "its own time" },
    { name: "times left", align: "right" as const, cell: ({ times }: RuleInForce) => (times ?? "always").toString() },
  ];
  const empty = { said: answer.message, next: "momo rules add cancelled --phone 0712345678 --times 1" };
  printList({ name: "rules", items: answer.rules, essential: "outcome", columns, whole: answer, empty }, flags);
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
