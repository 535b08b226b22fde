import { Command } from "commander";
import { jsonText } from "../../src/domain/visible.ts";
import { systemClock } from "../../src/system.ts";
import { openEvents } from "../client/client.ts";
import { followEvents, type SandboxEvent } from "../client/follow.ts";
import { type ControlFlags, resolveControl } from "../client/target.ts";
import { controlOptions, outputOptions, withOptions } from "../terminal/options.ts";
import { formatOf, type OutputOptions, print, printText, printTsv, tell } from "../terminal/output.ts";
import { paymentLine } from "../terminal/payment-lines.ts";
import { isTerminal, writeOut } from "../terminal/standard-output.ts";

export function tailCommand(): Command {
  const output = outputOptions("the checkout request ids");
  return withOptions(new Command("tail"), ...controlOptions(), ...output).action(tail);
}

async function tail(flags: ControlFlags & OutputOptions): Promise<void> {
  const target = () => resolveControl(flags);
  const first = await openEvents(target());
  const show = printerOf(flags);
  let hasGone = false;
  const handle = ({ name, data }: SandboxEvent) => {
    if (name === "transaction") show(data);
    else if (name === "steering" && data.what === "reset") tell("The sandbox was reset.");
    else if (name === "lost") tell("The server has gone; waiting for it …");
    else if (name === "connected" && hasGone) tell("The server is back.");
    else if (name === "gap") tell("Some payments are left out here.");
    hasGone = name === "lost";
  };
  if (isTerminal()) tell("Following the payments. Ctrl+C ends.");
  // Ctrl+C ends the process, as with any command that follows.
  await followEvents(target, first, handle, new AbortController().signal);
}

/** Prints one line per change: for people, or the data of the event. */
function printerOf(flags: OutputOptions): (data: Record<string, unknown>) => void {
  const format = formatOf(flags);
  let isFirst = true;
  return (data) => {
    if (flags.quiet) print(String(data.checkout_request_id));
    else if (format === "json") writeOut(`${jsonText(data)}\n`);
    else if (format === "tsv") printTsv([data], { withNames: isFirst });
    else printText(...paymentLine(data, systemClock.nowMs()));
    isFirst = false;
  };
}
