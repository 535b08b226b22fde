import { Command } from "commander";
import { openBeside } from "../client/beside.ts";
import { merchantClient, READS } from "../client/client.ts";
import { checkoutIdOf } from "../client/find.ts";
import { commandFor, resolveTarget, type TargetFlags } from "../client/target.ts";
import { exitCodeOf, type WaitFlags, waitForOutcome } from "../client/wait.ts";
import { outputOptions, paymentArgument, serverOptions, waitOptions } from "../terminal/options.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { printPayment } from "../terminal/payment-lines.ts";
import { watchPayment } from "../terminal/watch.ts";

type StatusFlags = TargetFlags & WaitFlags & OutputOptions;

export function statusCommand(): Command {
  const command = new Command("status").addArgument(paymentArgument());
  for (const option of [...waitOptions(), ...serverOptions(), ...outputOptions("the status")])
    command.addOption(option);
  return command.action(status);
}

async function status(name: string, flags: StatusFlags): Promise<void> {
  const client = merchantClient(resolveTarget(flags));
  const checkoutRequestId = await checkoutIdOf(client, name);
  if (!flags.wait) {
    printPayment(await client.post("/status.php", { checkout_request_id: checkoutRequestId }, READS), flags, "status");
    return;
  }
  const watch = watchPayment({
    checkoutRequestId,
    beside: openBeside(flags),
    next: commandFor(flags, "status", checkoutRequestId, "--wait"),
    isQuiet: Boolean(flags.quiet),
  });
  const answer = await waitForOutcome(client, checkoutRequestId, flags, null).finally(watch.end);
  printPayment(answer, flags, "status");
  if (answer.status === "pending") watch.tellNext();
  process.exitCode = exitCodeOf(answer);
}
