import { jsonText } from "../../src/domain/visible.ts";
import { openEvents } from "../client/client.ts";
import { followEvents, type SandboxEvent } from "../client/follow.ts";
import { type ControlFlags, resolveControl } from "../client/target.ts";
import type { Io } from "../io.ts";
import { Command } from "../terminal/command.ts";
import { controlOptions, outputOptions, withOptions } from "../terminal/options.ts";
import type { OutputOptions } from "../terminal/output.ts";
import { paymentLine } from "../terminal/payment-lines.ts";

export function tailCommand(io: Io): Command {
  const output = outputOptions("the checkout request ids");
  const command = withOptions(new Command("tail"), ...controlOptions(), ...output);
  return command.action((flags: ControlFlags & OutputOptions) => tail(io, flags));
}

async function tail(io: Io, flags: ControlFlags & OutputOptions): Promise<void> {
  const target = () => resolveControl(io, flags);
  const first = await openEvents(target());
  const show = printerOf(io, flags);
  let hasGone = false;
  const handle = ({ name, data }: SandboxEvent) => {
    if (name === "transaction") show(data);
    else if (name === "steering" && data.what === "reset") io.tell("The sandbox was reset.");
    else if (name === "lost") io.tell("The server has gone; waiting for it …");
    else if (name === "connected" && hasGone) io.tell("The server is back.");
    else if (name === "gap") io.tell("Some payments are left out here.");
    hasGone = name === "lost";
  };
  if (io.stdout.isTerminal()) io.tell("Following the payments. Ctrl+C ends.");
  // Ctrl+C ends the process, as with any command that follows.
  await followEvents(target, first, handle, new AbortController().signal);
}

/** Prints one line per change: for people, or the data of the event. */
function printerOf(io: Io, flags: OutputOptions): (data: Record<string, unknown>) => void {
  const format = io.formatOf(flags);
  let isFirst = true;
  return (data) => {
    if (flags.quiet) io.print(String(data.checkout_request_id));
    else if (format === "json") io.stdout.write(`${jsonText(data)}\n`);
    else if (format === "tsv") io.printTsv([data], { withNames: isFirst });
    else io.printText(...paymentLine(data, io.clock.nowMs()));
    isFirst = false;
  };
}
