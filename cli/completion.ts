import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";

/**
 * Adds `completion SHELL`, which prints a script for the shell, and `complete`, which that script asks what could come next.
 * @param program with all commands, whole
 */
export function addCompletion(program: Command): void {
  tab(program, { completionCommandName: "completion" });
}
