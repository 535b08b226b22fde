import { Command } from "commander";
import { type Answer, controlClient } from "../client/client.ts";
import { commandFor, resolveControl, type TargetFlags } from "../client/target.ts";
import { Failure } from "../terminal/failure.ts";
import { controlOptions, jsonOption, quietOption } from "../terminal/options.ts";
import { type OutputOptions, printJson } from "../terminal/output.ts";
import { printPayment } from "../terminal/payment-output.ts";

interface AnswerFlags extends OutputOptions, Pick<TargetFlags, "baseUrl" | "data"> {
  readonly pin?: string;
  readonly outcome?: string;
}

export function answerCommand(): Command {
  const command = new Command("answer")
    .argument("<checkout-id>", "the checkout request id of an open prompt")
    .option("--pin <digits>", "enter a PIN; 0000 is the wrong one")
    .option("--outcome <name>", "or say what becomes of it, such as cancelled");
  for (const option of controlOptions()) command.addOption(option);
  return command.addOption(jsonOption()).addOption(quietOption("the status")).action(answer);
}

async function answer(checkoutRequestId: string, flags: AnswerFlags): Promise<void> {
  const { pin, outcome } = flags;
  if ((pin === undefined) === (outcome === undefined)) {
    throw new Failure("usage", "give either --pin or --outcome", "such as --pin 1234 or --outcome cancelled");
  }
  const body = pin === undefined ? { outcome } : { pin };
  const path = `/prompts/${encodeURIComponent(checkoutRequestId)}/answer`;
  const lookWith = commandFor(flags, "status", checkoutRequestId);
  const answered = await controlClient(resolveControl(flags)).post(path, body, { lookWith });
  if (flags.json) printJson(answered);
  else printPayment(answered.transaction as Answer, flags, "status");
}
