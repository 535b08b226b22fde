import { Argument, Option } from "commander";
import { OUTCOMES } from "../../sandbox/network/outcomes.ts";
import { parsePhone, typedPhone } from "../../src/domain/phone.ts";
import { KINDS, type Kind, MAX_DESCRIPTION_LENGTH, MAX_REFERENCE_LENGTH } from "../../src/domain/transaction.ts";
import { controlOf, merchantClient, openOptionalControl } from "../client/client.ts";
import { type Answer, Refused } from "../client/request.ts";
import { commandFor, optionsFor, resolveTarget, type Target, type TargetFlags } from "../client/target.ts";
import { type WaitFlags, watchPayment } from "../client/wait.ts";
import type { Io } from "../io.ts";
import { askText, askWhich, canAsk } from "../terminal/ask.ts";
import { Command } from "../terminal/command.ts";
import { Failure } from "../terminal/failure.ts";
import {
  outcomeOption,
  outputOptions,
  readAmount,
  readId,
  readText,
  readTypedPhone,
  serverOptions,
  waitOptions,
  withOptions,
} from "../terminal/options.ts";
import { asksForJson, type OutputOptions } from "../terminal/output.ts";
import { amountText, printPayment } from "../terminal/payment-lines.ts";
import { missingArgument, misuse, shownValue } from "../terminal/usage.ts";

interface PayFlags extends TargetFlags, WaitFlags, OutputOptions {
  readonly reference?: string;
  readonly description?: string;
  readonly outcome?: string;
  readonly kind: Kind;
}

export function payCommand(io: Io): Command {
  const command = new Command("pay")
    .usage("[options] <phone> <amount>")
    // A number may be several words. The last word is the amount.
    .addArgument(new Argument("[phone]", "the customer's, such as 0712345678 or +254 712 345 678"))
    .addArgument(new Argument("[amount...]", "in KES"))
    .optionsGroup("The payment:")
    .option("--account <id>", "payment account (default: $MOMO_PAYMENT_ACCOUNT_ID)", readId)
    .option("--reference <text>", "your own order or reference code", readText(0, MAX_REFERENCE_LENGTH))
    .option("--description <text>", "shown on the prompt", readText(0, MAX_DESCRIPTION_LENGTH))
    .addOption(outcomeOption("one of momo outcomes, also with '; after=10s'"))
    .addOption(new Option("--kind <kind>").choices(KINDS).default("api"));
  const output = outputOptions("the checkout request id; with --wait, the status");
  withOptions(command, ...waitOptions(), ...serverOptions(), ...output);
  return command.action((first: string | undefined, rest: readonly string[], flags: PayFlags) =>
    pay(io, first, rest, flags),
  );
}

async function pay(io: Io, first: string | undefined, rest: readonly string[], flags: PayFlags): Promise<void> {
  if (first === undefined) return askAndPay(io, flags);
  const last = rest.at(-1);
  if (last === undefined) throw missingArgument("AMOUNT is missing");
  refuseMore([first, ...rest]);
  const amount = readAmount(last);
  const phone = readTypedPhone([first, ...rest.slice(0, -1)]);
  const target = resolveTarget(io, flags);
  if (target.paymentAccountId === null) {
    throw new Failure(
      "usage",
      "no payment account is known for this server",
      "give it with --account or MOMO_PAYMENT_ACCOUNT_ID",
    );
  }
  const started = await start(io, target, phone, amount, flags).catch((error: unknown) =>
    explainAccount(io, error, target, flags),
  );
  const checkoutRequestId = String(started.checkout_request_id);
  const isWatched = io.stderr.isTerminal() && !flags.quiet;
  if (!flags.wait) {
    printPayment(io, started, flags, "checkout_request_id");
    if (isWatched) {
      io.tell();
      io.tellCommand("Follow it with:", commandFor(flags, "status", checkoutRequestId, "--wait"));
    }
    return;
  }
  if (isWatched) {
    const number = started.transaction_id === undefined ? "" : `#${started.transaction_id}  `;
    io.tell(`${number}KES ${amountText(amount)} from ${parsePhone(phone)}`);
    io.tell(checkoutRequestId);
  }
  await watchPayment(io, merchantClient(target), checkoutRequestId, flags, { ...started, status: "pending" });
}

/** @throws {@link misuse} if a phone and an amount are followed by another word; a phone may be several words */
function refuseMore(words: readonly string[]): void {
  const phoneOf = (count: number) => typedPhone(words.slice(0, count).join(""));
  if (phoneOf(words.length - 1) !== null) return;
  for (let count = 1; count < words.length - 1; count += 1) {
    if (phoneOf(count) === null) continue;
    const more = words.slice(count + 1).join(" ");
    throw misuse(`there is an extra word after PHONE and AMOUNT: ${shownValue(more)}`);
  }
}

/** Asks a person for the payment. A person who answers questions also waits for the outcome. */
async function askAndPay(io: Io, flags: PayFlags): Promise<void> {
  if (!canAsk(io, { json: asksForJson(flags) })) throw missingArgument("PHONE and AMOUNT are missing");
  resolveTarget(io, flags); // ask nothing if there is no server
  const phone = await askText(io, {
    flag: "PHONE",
    message: "Phone of the customer",
    json: false,
    initial: "0712345678",
    check: (text) => readTypedPhone([text], "It"),
  });
  const amount = await askText(io, {
    flag: "AMOUNT",
    message: "Amount in KES",
    json: false,
    initial: "100",
    check: (text) => readAmount(text, "It"),
  });
  const outcome = flags.outcome ?? (await askOutcome(io));
  const chosen = outcome === null ? {} : { outcome };
  const { account, reference, description } = flags;
  const kind = flags.kind === "api" ? undefined : flags.kind;
  const words = [phone, amount, ...optionsFor({ ...chosen, account, reference, description, kind }), "--wait"];
  io.tellCommand("The same without questions:", commandFor(flags, "pay", ...words));
  io.tell();
  await pay(io, phone, [amount], { ...flags, ...chosen, wait: true });
}

function askOutcome(io: Io): Promise<string | null> {
  const usual = { value: null, label: "as momo decides: rules, test phones, default" };
  const choices = OUTCOMES.map(({ name, meaning }) => ({ value: name, label: `${name}: ${meaning}` }));
  return askWhich<string | null>(io, { message: "What does the customer do?", json: false }, [usual, ...choices]);
}

/** Adds to a refusal the flag for the account, if the merchant of the key has no account of this id. */
async function explainAccount(
  io: Io,
  error: unknown,
  { apiKey, paymentAccountId }: Target,
  flags: PayFlags,
): Promise<never> {
  if (!(error instanceof Refused) || error.status !== 400) throw error;
  const known = await openOptionalControl(io, flags)(`/accounts?${new URLSearchParams({ api_key: apiKey })}`);
  const accounts = known?.accounts as readonly { id: unknown }[] | undefined;
  if (!accounts || accounts.some(({ id }) => id === paymentAccountId)) throw error;
  throw new Failure(error.code, error.message, "give one with --account");
}

/** The merchant API starts payments of the kind `api`, the control API those of other kinds. */
function start(io: Io, target: Target, phone: string, amount: number, flags: PayFlags): Promise<Answer> {
  const { reference, description, outcome, kind } = flags;
  const body = { payment_account_id: target.paymentAccountId, phone, amount, reference, description };
  const ifLost = { checkWith: commandFor(flags, "list", ...(reference ? ["--search", reference] : ["--limit", "1"])) };
  const needs = "checkout_request_id";
  if (kind !== "api") {
    return controlOf(io, flags).post("/payments", { ...body, kind, outcome }, { ifLost, needs });
  }
  // The runtime sends a byte per character, and the sandbox reads UTF-8.
  const headers: Record<string, string> =
    outcome === undefined ? {} : { "X-Sandbox-Outcome": Buffer.from(outcome).toString("latin1") };
  return merchantClient(target).post("/stkpush.php", body, { headers, ifLost, needs });
}
