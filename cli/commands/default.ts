import { Argument, Command } from "commander";
import { OUTCOME_NAMES } from "../../sandbox/network/outcomes.ts";
import { type Answer, controlClient } from "../client/client.ts";
import { resolveControl, type TargetFlags } from "../client/target.ts";
import { printRecord } from "../terminal/data.ts";
import { controlOptions, outputOptions, readDurationText, withOptions } from "../terminal/options.ts";
import { formatOf, type OutputOptions, print } from "../terminal/output.ts";

interface DefaultFlags extends OutputOptions, Pick<TargetFlags, "baseUrl" | "data"> {
  readonly after?: string;
}

export default function defaultCommand(): Command {
  const command = new Command("default");
  const showing = command.command("show").description("show what prompts do if nothing else decides");
  const setting = command
    .command("set")
    .description("set what prompts do from now on, until a reset")
    .addArgument(new Argument("<outcome>", "one of momo outcomes").choices(OUTCOME_NAMES))
    .option("--after <duration>", "how long after the start (default: the outcome's own time)", readDurationText);
  for (const sub of [showing, setting]) withOptions(sub, ...controlOptions(), ...outputOptions("the outcome"));
  showing.action(async (flags: DefaultFlags) =>
    show(await controlClient(resolveControl(flags)).get("/default", {}), flags),
  );
  setting.action(async (outcome: string, { after, ...flags }: DefaultFlags) =>
    show(await controlClient(resolveControl(flags)).put("/default", { outcome, after }), flags),
  );
  return command;
}

function show(answer: Answer, flags: OutputOptions): void {
  const { outcome, after } = answer;
  if (flags.quiet || formatOf(flags) !== "table") printRecord(answer, flags, String(outcome));
  else print(answer.message, typeof after === "string" ? `, after ${after}` : "");
}
