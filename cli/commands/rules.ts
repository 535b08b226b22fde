import { Argument, Command, Option } from "commander";
import type { RuleInForce } from "../../sandbox/control/shapes/steering.ts";
import { OUTCOME_NAMES } from "../../sandbox/network/outcomes.ts";
import { MAX_REFERENCE_LENGTH } from "../../src/domain/transaction.ts";
import type { Answer } from "../client/client.ts";
import { printList } from "../terminal/data.ts";
import { readAmount, readDurationText, readId, readText, readTypedPhone, readUpTo } from "../terminal/options.ts";
import { amountText } from "../terminal/payment-lines.ts";
import { type SteeringFlags, steeringCommand } from "./steering.ts";

interface RuleFlags extends SteeringFlags {
  readonly phone?: string;
  readonly amount?: number;
  readonly account?: number;
  readonly reference?: string;
  readonly after?: string;
  readonly times?: number;
}

/** How often a rule or a fault may apply. @param what how many of what, and what ends then */
export const timesOption = (what: string) => new Option("--times <number>", what).argParser(readUpTo(1_000_000));

export default function rulesCommand(): Command {
  const command = new Command("rules");
  const sub = steeringCommand<RuleFlags>(command, show, "the outcomes");
  sub("list", "show the rules in force, in order", (client) => client.get("/rules", {}));
  sub("add", "append a rule: what prompts do that match all of its options", (client, flags, outcome, write) =>
    client.post("/rules", ruleOf(outcome, flags), write),
  )
    .addArgument(new Argument("<outcome>", "one of momo outcomes").choices(OUTCOME_NAMES))
    .option("--phone <number>", "of this customer", (text) => readTypedPhone([text], "--phone"))
    .option("--amount <shillings>", "of exactly this amount", (text) => readAmount(text, "--amount"))
    .option("--account <id>", "of this payment account", readId)
    .option("--reference <text>", "with this reference", readText(0, MAX_REFERENCE_LENGTH))
    .option("--after <duration>", "how long after the start", readDurationText)
    .addOption(timesOption("how many prompts; then the rule ends"));
  sub("clear", "remove all rules", (client) => client.delete("/rules"));
  return command;
}

function ruleOf(outcome: string, { phone, amount, account, reference, after, times }: RuleFlags) {
  return { match: { phone, amount, payment_account_id: account, reference }, outcome, after, times };
}

function show(answer: Answer, flags: RuleFlags): void {
  const items = answer.rules as RuleInForce[];
  const columns = [
    { name: "outcome" },
    { name: "matches", cell: ({ match }: RuleInForce) => matchText(match) },
    { name: "after", cell: ({ after }: RuleInForce) => after ?? "its own time" },
    { name: "times left", align: "right" as const, cell: ({ times }: RuleInForce) => (times ?? "always").toString() },
  ];
  const empty = { said: answer.message, next: "momo rules add cancelled --phone 0712345678 --times 1" };
  printList({ name: "rules", items, essential: "outcome", columns, whole: answer, empty }, flags);
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
