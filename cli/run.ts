import { Command, CommanderError } from "commander";
import { EXIT, Failure, toFailure } from "./terminal/failure.ts";
import { tellFailure } from "./terminal/output.ts";
import { writeOut } from "./terminal/standard-output.ts";

/** A line of help, and how to load the command. */
type CommandTable = Record<string, readonly [summary: string, load: () => Promise<Command>]>;

/** Runs one command line. The process ends by itself, with the exit code that the README documents. */
export async function run(commands: CommandTable, args: readonly string[], version: string): Promise<void> {
  const end = args.indexOf("--"); // what follows is another command's
  const json = args.slice(0, end < 0 ? undefined : end).includes("--json");
  try {
    const program = await assemble(commands, args, version);
    await program.parseAsync(args, { from: "user" });
  } catch (error) {
    process.exitCode = tellOf(error, json);
  }
}

/** The program with the one command that is meant, and the names of the others for the help. */
async function assemble(commands: CommandTable, args: readonly string[], version: string): Promise<Command> {
  const program = new Command("momo")
    .description("A mobile-money sandbox: the payment service, a simulated network and a client in one program.")
    .version(version)
    .helpCommand(false)
    .showSuggestionAfterError()
    .enablePositionalOptions() // what follows `exec --` is the other command's
    .exitOverride()
    .configureOutput({ writeOut, outputError: () => {} }); // told once, in tellOf
  const name = args.find((word) => word !== "--"); // which ends the options, as anywhere
  // What could come next is known only with every command at hand.
  const completes = name === "completion" || name === "complete";
  for (const [candidate, [summary, load]] of Object.entries(commands)) {
    const command = candidate === name || completes ? await load() : new Command(candidate);
    program.addCommand(adopt(command.description(summary), program));
  }
  if (completes) (await import("./commands/completion.ts")).addCompletion(program);
  else program.addCommand(new Command("completion").description("print the completion script of a shell"));
  return program;
}

/** Settings that commander hands on only to commands it made itself. */
function adopt(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent).helpCommand(false);
  for (const child of command.commands) adopt(child, command);
  return command;
}

/** Says why the command did not do its work, and returns the exit code. */
function tellOf(error: unknown, json: boolean): number {
  if (error instanceof CommanderError) {
    // The help or the version that was asked for.
    if (error.exitCode === 0) return EXIT.done;
    const message = error.code === "commander.help" ? "a command is missing" : error.message.replace(/^error: /, "");
    const [line = "", ...rest] = message.split("\n");
    const failure = new Failure("usage", line, rest.join(" ").trim() || "momo --help shows the commands and options");
    if (error.code !== "commander.help" || json) tellFailure(failure, json);
    return failure.exitCode;
  }
  const failure = toFailure(error);
  tellFailure(failure, json);
  return failure.exitCode;
}
