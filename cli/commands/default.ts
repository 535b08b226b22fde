import { Argument, Command } from "commander";
import { OUTCOME_NAMES } from "../../sandbox/network/outcomes.ts";
import { readDurationText } from "../terminal/options.ts";
import { type SteeringFlags, showAnswer, steeringCommand } from "./steering.ts";

type DefaultFlags = SteeringFlags & { readonly after?: string };

export default function defaultCommand(): Command {
  const command = new Command("default");
  const sub = steeringCommand<DefaultFlags>(
    command,
    ({ message, ...answer }, flags) => {
      const after = typeof answer.after === "string" ? `, after ${answer.after}` : "";
      showAnswer({ ...answer, message: message + after }, flags, answer.outcome);
    },
    "the outcome",
  );
  sub("show", "show what prompts do if nothing else decides", (client) => client.get("/default", {}));
  sub("set", "set what prompts do from now on, until a reset", (client, { after }, outcome, write) =>
    client.put("/default", { outcome, after }, write),
  )
    .addArgument(new Argument("<outcome>", "one of momo outcomes").choices(OUTCOME_NAMES))
    .option("--after <duration>", "how long after the start (default: the outcome's own time)", readDurationText);
  return command;
}
