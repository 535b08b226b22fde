import { Argument, Command, Option } from "commander";
import { parseChoice } from "../../sandbox/network/choice.ts";
import { OUTCOME_NAMES } from "../../sandbox/network/outcomes.ts";
import { parsePhone } from "../../src/domain/phone.ts";
import { KINDS, type Kind, MAX_DESCRIPTION_LENGTH, MAX_REFERENCE_LENGTH } from "../../src/domain/transaction.ts";
import { type Answer, controlClient, merchantClient } from "../client/client.ts";
import { commandFor, resolveControl, resolveTarget, type Target, type TargetFlags } from "../client/target.ts";
import type { WaitFlags } from "../client/wait.ts";
import { Failure } from "../terminal/failure.ts";
import { outputOptions, readId, readText, serverOptions, waitOptions, withOptions } from "../terminal/options.ts";
import { isErrorTerminal, type OutputOptions, tell } from "../terminal/output.ts";
import { amountText, printPayment } from "../terminal/payment-lines.ts";
import { readAmount, readTypedPhone } from "../terminal/typed-phone.ts";
import { misuse } from "../terminal/usage.ts";
import { watchPayment } from "../terminal/watch.ts";

interface PayFlags extends TargetFlags, WaitFlags, OutputOptions {
  readonly reference?: string;
  readonly description?: string;
  readonly outcome?: string;
  readonly kind: Kind;
}

export default function payCommand(): Command {
  const command = new Command("pay")
    .usage("[options] <phone> <amount>")
    // A number may be several words. The last word is the amount.
    .addArgument(new Argument("[phone]", "the customer's, such as 0712345678 or +254 712 345 678"))
    .addArgument(new Argument("[amount...]", "in KES"))
    .option(
      "--account <id>",
      "the payment account (default: $MOMO_PAYMENT_ACCOUNT_ID, or the data directory's)",
      readId,
    )
    .option("--reference <text>", "your own order or reference code", readText(0, MAX_REFERENCE_LENGTH))
    .option("--description <text>", "shown on the prompt", readText(0, MAX_DESCRIPTION_LENGTH))
    .option("--outcome <name>", `what the prompt does, optionally with '; after=10s': ${OUTCOME_NAMES.join(", ")}`)
    .addOption(new Option("--kind <kind>", "the origin of the payment").choices(KINDS).default("api"));
  const output = outputOptions("the checkout request id; with --wait, the status");
  return withOptions(command, ...waitOptions(), ...serverOptions(), ...output).action(pay);
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
  const isWatched = isErrorTerminal() && !flags.quiet;
  if (!flags.wait) {
    printPayment(started, flags, "checkout_request_id");
    if (isWatched) {
      tell();
      tell(`Follow it with: ${commandFor(flags, "status", checkoutRequestId, "--wait")}`);
    }
    return;
  }
  if (isWatched) {
    const number = started.transaction_id === undefined ? "" : `#${started.transaction_id}  `;
    tell(`${number}KES ${amountText(amount)} from ${parsePhone(phone)}`);
    tell(checkoutRequestId);
  }
  await watchPayment(merchantClient(target), checkoutRequestId, flags, { ...started, status: "pending" });
}

/** The merchant API starts payments of the kind `api`, the control API those of other kinds. */
function start(target: Target, phone: string, amount: number, flags: PayFlags): Promise<Answer> {
  const { reference, description, outcome, kind } = flags;
  if (outcome !== undefined) parseChoice(outcome, "--outcome"); // before it goes into a header
  const body = {
    payment_account_id: target.paymentAccountId,
    phone,
    amount,
    reference,
    description,
  };
  const checkWith = commandFor(flags, "list", ...(reference ? ["--search", reference] : ["--limit", "1"]));
  if (kind !== "api") {
    return controlClient(resolveControl(flags)).post("/payments", { ...body, kind, outcome }, { checkWith });
  }
  const headers: Record<string, string> = outcome === undefined ? {} : { "X-Sandbox-Outcome": outcome };
  return merchantClient(target).post("/stkpush.php", body, { headers, checkWith });
}
