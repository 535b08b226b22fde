import { Command, CommanderError } from "commander";
import { EXIT, toFailure } from "./terminal/failure.ts";
import { tellFailure } from "./terminal/output.ts";
import { writeOut } from "./terminal/standard-output.ts";
import { usageFailure } from "./terminal/usage.ts";

/** A line of help, and how to load the command. */
type CommandTable = Record<string, readonly [summary: string, load: () => Promise<Command>]>;

/** Runs one command line. The process ends by itself, with the exit code that docs/cli.md documents. */
export async function run(commands: CommandTable, args: readonly string[], version: string): Promise<void> {
  const end = args.indexOf("--"); // what follows is another command's
  const json = args.slice(0, end < 0 ? undefined : end).includes("--json");
  const asksHelp = args[0] === "help";
  const words = asksHelp ? args.slice(1) : args;
  const program = await assemble(commands, words, version);
  try {
    if (args.length === 0) (await import("./terminal/first-step.ts")).showFirstStep();
    else await program.parseAsync(asksHelp ? helpCall(program, words) : words, { from: "user" });
  } catch (error) {
    process.exitCode = tellOf(error, commandOf(program, words), json);
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
  program.addCommand(new Command("help").description("show the help of a command").argument("[command...]"));
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

/** `momo help pay` is `momo pay --help`. A word that names no command is left to be refused. */
function helpCall(program: Command, words: readonly string[]): string[] {
  const command = commandOf(program, words);
  const path: string[] = [];
  for (let at: Command | null = command; at && at !== program; at = at.parent) path.unshift(at.name());
  const unknown = words[path.length];
  return command.commands.length > 0 && unknown !== undefined ? [...path, unknown] : [...path, "--help"];
}

/** The command that the words name, as far as they name one. */
function commandOf(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words.filter((candidate) => !candidate.startsWith("-"))) {
    const child = command.commands.find((candidate) => candidate.name() === word);
    if (!child) return command;
    command = child;
  }
  return command;
}

/** Says why the command did not do its work, and returns the exit code. */
function tellOf(error: unknown, command: Command, json: boolean): number {
  if (error instanceof CommanderError) {
    // The help or the version that was asked for.
    if (error.exitCode === 0) return EXIT.done;
    const failure = usageFailure(error, command);
    if (error.code !== "commander.help" || json) tellFailure(failure, json);
    return failure.exitCode;
  }
  const failure = toFailure(error);
  tellFailure(failure, json);
  return failure.exitCode;
}
