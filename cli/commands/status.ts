import { Command } from "commander";
import { merchantClient, READS } from "../client/client.ts";
import { checkoutIdOf } from "../client/find.ts";
import { resolveTarget, type TargetFlags } from "../client/target.ts";
import { type WaitFlags, watchPayment } from "../client/wait.ts";
import { outputOptions, paymentArgument, serverOptions, waitOptions, withOptions } from "../terminal/options.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { printPayment } from "../terminal/payment-lines.ts";

type StatusFlags = TargetFlags & WaitFlags & OutputOptions;

export function statusCommand(): Command {
  const command = new Command("status").addArgument(paymentArgument());
  return withOptions(command, ...waitOptions(), ...serverOptions(), ...outputOptions("the status")).action(status);
}

async function status(name: string, flags: StatusFlags): Promise<void> {
  const client = merchantClient(resolveTarget(flags));
  const checkoutRequestId = await checkoutIdOf(client, name);
  if (!flags.wait) {
    printPayment(await client.post("/status.php", { checkout_request_id: checkoutRequestId }, READS), flags, "status");
    return;
  }
  await watchPayment(client, checkoutRequestId, flags, null);
}
