import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";
import bash from "../terminal/completion.bash" with { type: "text" };
import { writeOut } from "../terminal/standard-output.ts";

const NAME = "completion";

/**
 * Adds `completion SHELL`, which prints a script for the shell, and `complete`, which that script asks what could come next.
 * @param program with all commands, whole
 */
export function addCompletion(program: Command): void {
  const scripts = tab(program, { completionCommandName: NAME });
  const completion = program.commands.find((command) => command.name() === NAME);
  // The library's script for bash works only beside a package of its own, and runs $(what is typed) when Tab is pressed.
  completion?.action((shell: string) => {
    if (shell === "bash") writeOut(bash);
    else scripts.setup(program.name(), program.name(), shell);
  });
}
