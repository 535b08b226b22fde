import { Argument, Command, Option } from "commander";
import { parseChoice } from "../../sandbox/network/choice.ts";
import { OUTCOMES } from "../../sandbox/network/outcomes.ts";
import { KINDS, type Kind } from "../../src/domain/transaction.ts";
import { type Answer, controlClient, merchantClient } from "../client/client.ts";
import { commandFor, resolveControl, resolveTarget, type Target, type TargetFlags } from "../client/target.ts";
import { exitCodeOf, type WaitFlags, waitForOutcome } from "../client/wait.ts";
import { Failure } from "../terminal/failure.ts";
import { jsonOption, quietOption, readId, serverOptions, waitOptions } from "../terminal/options.ts";
import { type OutputOptions, tell } from "../terminal/output.ts";
import { printPayment } from "../terminal/payment-output.ts";
import { isTerminal } from "../terminal/standard-output.ts";
import { readAmount, readTypedPhone } from "../terminal/typed-phone.ts";
import { misuse } from "../terminal/usage.ts";

interface PayFlags extends TargetFlags, WaitFlags, OutputOptions {
  readonly reference?: string;
  readonly description?: string;
  readonly outcome?: string;
  readonly kind: Kind;
}

export function payCommand(): Command {
  const command = new Command("pay")
    .usage("[options] <phone> <amount>")
    // A number may come in several words, and the last word is the amount.
    .addArgument(new Argument("[phone]", "the customer's, such as 0712345678 or +254 712 345 678"))
    .addArgument(new Argument("[amount...]", "in KES"))
    .addOption(
      new Option(
        "--account <id>",
        "the payment account (default: $MOMO_PAYMENT_ACCOUNT_ID, or the data directory's)",
      ).argParser(readId),
    )
    .option("--reference <text>", "your own order or reference code")
    .option("--description <text>", "shown on the prompt")
    .option(
      "--outcome <name>",
      `what the prompt does, with '; after=10s' if you like: ${OUTCOMES.map(({ name }) => name).join(", ")}`,
    )
    .addOption(new Option("--kind <kind>", "where the payment comes from").choices(KINDS).default("api"));
  for (const option of [...waitOptions(), ...serverOptions()]) command.addOption(option);
  return command
    .addOption(jsonOption())
    .addOption(quietOption("the checkout request id; with --wait, the status"))
    .action(pay);
}

async function pay(first: string | undefined, rest: readonly string[], flags: PayFlags): Promise<void> {
  if (first === undefined) throw misuse("PHONE and AMOUNT are missing");
  const last = rest.at(-1);
  if (last === undefined) throw misuse("AMOUNT is missing");
  const amount = readAmount(last);
  const phone = readTypedPhone([first, ...rest.slice(0, -1)]);
  const target = resolveTarget(flags);
  if (target.paymentAccountId === null) {
    throw new Failure(
      "usage",
      "no payment account is known for this server",
      "give it with --account or MOMO_PAYMENT_ACCOUNT_ID",
    );
  }
  const started = await start(target, phone, amount, flags);
  const checkoutRequestId = String(started.checkout_request_id);
  if (!flags.wait) {
    printPayment(started, flags, "checkout_request_id");
    if (isTerminal() && !flags.json && !flags.quiet) {
      tell();
      tell(`Follow it with: momo status ${checkoutRequestId} --wait`);
    }
    return;
  }
  const outcome = await waitForOutcome(merchantClient(target), checkoutRequestId, flags, {
    ...started,
    status: "pending",
  });
  printPayment(outcome, flags, "status");
  process.exitCode = exitCodeOf(outcome);
}

/** The merchant API makes payments of the kind `api`; the sandbox makes the others. */
function start(target: Target, phone: string, amount: number, flags: PayFlags): Promise<Answer> {
  const { reference, description, outcome, kind } = flags;
  if (outcome !== undefined) parseChoice(outcome, "--outcome"); // before it becomes a header
  const body = {
    payment_account_id: target.paymentAccountId,
    phone,
    amount,
    ...(reference !== undefined && { reference }),
    ...(description !== undefined && { description }),
  };
  const lookWith = commandFor(flags, "list", ...(reference ? ["--search", reference] : ["--limit", "1"]));
  if (kind !== "api") {
    const asked = { ...body, kind, ...(outcome !== undefined && { outcome }) };
    return controlClient(resolveControl(flags)).post("/payments", asked, { lookWith });
  }
  const headers: Record<string, string> = outcome === undefined ? {} : { "X-Sandbox-Outcome": outcome };
  return merchantClient(target).post("/stkpush.php", body, { headers, lookWith });
}
