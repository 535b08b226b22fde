import { Argument, Command } from "commander";
import { SCRIPTS } from "../terminal/completion.ts";
import { writeOut } from "../terminal/standard-output.ts";

/** `momo completion SHELL` prints a script for the shell. The script asks `momo complete` for suggestions. */
export default function completionCommand(): Command {
  const shells = Object.keys(SCRIPTS);
  return new Command("completion")
    .addArgument(new Argument("<shell>", "whose script").choices(shells))
    .action((shell: keyof typeof SCRIPTS) => writeOut(SCRIPTS[shell]));
}
