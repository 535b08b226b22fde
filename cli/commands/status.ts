import { Command } from "commander";
import { ABOUT_PAYMENT, merchantClient } from "../client/client.ts";
import { checkoutIdOf } from "../client/find.ts";
import { resolveTarget, type TargetFlags } from "../client/target.ts";
import { type WaitFlags, watchPayment } from "../client/wait.ts";
import { outputOptions, paymentArgument, serverOptions, waitOptions, withOptions } from "../terminal/options.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { printPayment } from "../terminal/payment-lines.ts";

export function statusCommand(): Command {
  const command = new Command("status").addArgument(paymentArgument());
  return withOptions(command, ...waitOptions(), ...serverOptions(), ...outputOptions("the status")).action(status);
}

async function status(name: string, flags: TargetFlags & WaitFlags & OutputOptions): Promise<void> {
  const client = merchantClient(resolveTarget(flags));
  if (flags.wait) return watchPayment(client, name, flags, null);
  const order = { checkout_request_id: await checkoutIdOf(client, name) };
  printPayment(await client.post("/status.php", order, ABOUT_PAYMENT), flags, "status");
}
