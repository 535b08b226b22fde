import { parseChoice } from "../../sandbox/network/choice.ts";
import { ABOUT_PAYMENT, controlOf } from "../client/client.ts";
import { checkoutIdAt } from "../client/find.ts";
import type { Answer } from "../client/request.ts";
import { type ControlFlags, commandFor } from "../client/target.ts";
import type { Io } from "../io.ts";
import { Command } from "../terminal/command.ts";
import {
  controlOptions,
  outcomeOption,
  outputOptions,
  paymentArgument,
  readPin,
  withOptions,
} from "../terminal/options.ts";
import { asksForJson, type OutputOptions } from "../terminal/output.ts";
import { printPayment } from "../terminal/payment-lines.ts";
import { misuse, wrongValue } from "../terminal/usage.ts";

type AnswerFlags = ControlFlags & OutputOptions & { readonly pin?: string; readonly outcome?: string };

export function answerCommand(io: Io): Command {
  const command = new Command("answer")
    .addArgument(paymentArgument())
    .option("--pin <digits>", "enter a PIN; 0000 is the wrong one", readPin)
    .addOption(outcomeOption("or choose the outcome, such as cancelled"));
  withOptions(command, ...controlOptions(), ...outputOptions("the status"));
  return command.action((name: string, flags: AnswerFlags) => answer(io, name, flags));
}

async function answer(io: Io, name: string, flags: AnswerFlags): Promise<void> {
  const { pin, outcome } = flags;
  if ((pin === undefined) === (outcome === undefined)) {
    throw misuse("give either --pin or --outcome, such as --pin 1234 or --outcome cancelled");
  }
  const chosen = outcome === undefined ? null : parseChoice(outcome, "--outcome");
  if (chosen?.after !== undefined)
    throw misuse(wrongValue("after in --outcome", "has no meaning in an answer: leave it out", chosen.after));
  const client = controlOf(io, flags);
  const checkoutRequestId = await checkoutIdAt(client, name);
  const path = `/prompts/${encodeURIComponent(checkoutRequestId)}/answer`;
  const ifLost = { checkWith: commandFor(flags, "status", checkoutRequestId) };
  const answered = await client.post(path, chosen ?? { pin }, { ...ABOUT_PAYMENT, ifLost });
  // --json shows the whole answer, also the text message.
  if (asksForJson(flags)) io.printJson(answered);
  else printPayment(io, answered.transaction as Answer, flags, "status");
}
