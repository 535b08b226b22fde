import { Command } from "commander";
import { ADVANCE_TIMEOUT_MS, type Answer, controlClient } from "../client/client.ts";
import { commandFor, resolveControl, type TargetFlags } from "../client/target.ts";
import { printRecord } from "../terminal/data.ts";
import { controlOptions, outputOptions, readDurationText, withOptions } from "../terminal/options.ts";
import { formatOf, type OutputOptions, print } from "../terminal/output.ts";

type ClockFlags = OutputOptions & Pick<TargetFlags, "baseUrl" | "data">;

export default function clockCommand(): Command {
  const command = new Command("clock");
  const options = [...controlOptions(), ...outputOptions("the time, in Nairobi")];
  const sub = (name: string, summary: string) => withOptions(command.command(name).description(summary), ...options);
  sub("show", "show what time it is for the sandbox").action(async (flags: ClockFlags) =>
    show(await controlClient(resolveControl(flags)).get("/clock", {}), flags),
  );
  sub("freeze", "stop the clock").action((flags: ClockFlags) => move({ freeze: true }, flags));
  sub("advance", "move it forward, and resolve what falls due")
    .argument("<duration>", "such as 90s", readDurationText)
    .action((advance: string, flags: ClockFlags) => move({ advance }, flags));
  sub("resume", "start it again").action((flags: ClockFlags) => move({ resume: true }, flags));
  return command;
}

async function move(body: object, flags: ClockFlags): Promise<void> {
  const options = { timeoutMs: ADVANCE_TIMEOUT_MS, checkWith: commandFor(flags, "clock", "show") };
  show(await controlClient(resolveControl(flags)).post("/clock", body, options), flags);
}

function show(answer: Answer, flags: OutputOptions): void {
  if (!flags.quiet && formatOf(flags) === "table") print(answer.message);
  else printRecord(answer, flags, String(answer.now));
}
