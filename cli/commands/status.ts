import { ABOUT_PAYMENT, merchantClient } from "../client/client.ts";
import { checkoutIdOf } from "../client/find.ts";
import { resolveTarget, type TargetFlags } from "../client/target.ts";
import { type WaitFlags, watchPayment } from "../client/wait.ts";
import type { Io } from "../io.ts";
import { Command } from "../terminal/command.ts";
import { outputOptions, paymentArgument, serverOptions, waitOptions, withOptions } from "../terminal/options.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { printPayment } from "../terminal/payment-lines.ts";

export function statusCommand(io: Io): Command {
  const command = new Command("status").addArgument(paymentArgument());
  withOptions(command, ...waitOptions(), ...serverOptions(), ...outputOptions("the status"));
  return command.action((name: string, flags: StatusFlags) => status(io, name, flags));
}

type StatusFlags = TargetFlags & WaitFlags & OutputOptions;

async function status(io: Io, name: string, flags: StatusFlags): Promise<void> {
  const client = merchantClient(resolveTarget(io, flags));
  if (flags.wait) return watchPayment(io, client, name, flags, null);
  const order = { checkout_request_id: await checkoutIdOf(client, name) };
  printPayment(io, await client.post("/status.php", order, ABOUT_PAYMENT), flags, "status");
}
