import { Command } from "commander";
import { merchantClient, READS } from "../client/client.ts";
import { resolveTarget, type TargetFlags } from "../client/target.ts";
import { exitCodeOf, type WaitFlags, waitForOutcome } from "../client/wait.ts";
import { jsonOption, quietOption, serverOptions, waitOptions } from "../terminal/options.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { printPayment } from "../terminal/payment-output.ts";

type StatusFlags = TargetFlags & WaitFlags & OutputOptions;

export function statusCommand(): Command {
  const command = new Command("status").argument("<checkout-id>", "the checkout request id that starting it returned");
  for (const option of [...waitOptions(), ...serverOptions()]) command.addOption(option);
  return command.addOption(jsonOption()).addOption(quietOption("the status")).action(status);
}

async function status(checkoutRequestId: string, flags: StatusFlags): Promise<void> {
  const client = merchantClient(resolveTarget(flags));
  const answer = flags.wait
    ? await waitForOutcome(client, checkoutRequestId, flags, null)
    : await client.post("/status.php", { checkout_request_id: checkoutRequestId }, READS);
  printPayment(answer, flags, "status");
  if (flags.wait) process.exitCode = exitCodeOf(answer);
}
