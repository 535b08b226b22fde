import { CommanderError, type Help } from "commander";
import { allGroups, type CommandGroups, groupsWith, isIn, makeCommand } from "./command-table.ts";
import type { Io } from "./io.ts";
import { Command } from "./terminal/command.ts";
import { EXIT, toFailure } from "./terminal/failure.ts";
import { addHelp, exitCodesText, helpLayout } from "./terminal/help.ts";
import { asksJson, forPeople } from "./terminal/output.ts";
import { isPage, pageText } from "./terminal/pages.ts";
import type { Stream } from "./terminal/streams.ts";
import { Misuse, misuse, nameRefusals, shownValue, usageFailure } from "./terminal/usage.ts";

/**
 * Runs one command line.
 * @returns the exit code; docs/cli.md lists them
 */
export async function run(io: Io, version: string): Promise<number> {
  await runWords(io, io.words, version);
  return io.exitCode ?? EXIT.done;
}

async function runWords(io: Io, args: readonly string[], version: string): Promise<void> {
  const asksHelp = args[0] === "help";
  // Pages link each other as files: `momo help audit.md` is `momo help audit`.
  const asked = asksHelp ? args.slice(1).map((word) => word.replace(/\.md$/, "")) : args;
  const topic = asksHelp ? asked.join(" ") : "";
  const words = topic === REPLICAS_TOPIC ? ["serve"] : asked;
  if (args[0] === "complete") {
    io.stdout.write(await completions(io, args.slice(args.indexOf("--") + 1), version));
    return;
  }
  if (topic === EXIT_CODES_TOPIC) {
    writeForPeople(io.stdout, exitCodesText());
    return;
  }
  const name = words.find((word) => word !== "--"); // ends the options
  const layout = helpLayout(topic === REPLICAS_TOPIC ? topic : "usual");
  const program = await makeProgram(io, version, name, layout);
  const own = ownWords(program, args);
  const json = asksJson(own);
  const showsHelp = asksHelp || own.some((word) => word === "--help" || word === "-h");
  const page = asksHelp && isPage(topic) ? topic : null;
  if (page !== null && topic !== REPLICAS_TOPIC && !program.commands.some((command) => command.name() === topic)) {
    io.stdout.write(await pageText(page));
    return;
  }
  if (showsHelp) addHelp(program);
  try {
    if (args.length === 0) await firstStep(io);
    else await program.parseAsync(asksHelp ? helpCall(program, words) : words, { from: "user" });
  } catch (error) {
    io.exitCode = tellOf(io, error, commandOf(program, words), json);
  }
  // A page with the name of a command comes after its options.
  if (page !== null) {
    io.stdout.write(`\n${await pageText(page)}`);
  }
}

/** The words of momo: not those of the command that it runs, which begins after `--`, or with the first word of exec that is no option. */
function ownWords(program: Command, args: readonly string[]): readonly string[] {
  const mark = args.indexOf("--");
  const own = args.slice(0, mark < 0 ? undefined : mark);
  if (own[0] !== "exec") return own;
  const options = program.commands.find((command) => command.name() === "exec")?.options ?? [];
  const takesValue = (word: string | undefined) =>
    options.some((one) => (one.required || one.optional) && one.long === word);
  const end = own.findIndex((word, index) => index > 0 && !word.startsWith("-") && !takesValue(own[index - 1]));
  return own.slice(0, end < 0 ? undefined : end);
}

const EXIT_CODES_TOPIC = "exit-codes";
const REPLICAS_TOPIC = "replicas";

/** Outside a terminal, commander has a width of its own. */
const helpWidth = (stream: Stream) => (stream.isTerminal() ? stream.width() : 80);

const writeForPeople = (stream: Stream, text: string) => stream.write(forPeople(text, stream.width()));

/** What `momo` does without a command. */
async function firstStep(io: Io): Promise<void> {
  const { showFirstStep } = await import("./commands/first-step.ts");
  await showFirstStep(io);
}

/** The program with the wanted command. If there is none, it has the names of all, for the help and for suggestions. */
async function makeProgram(
  io: Io,
  version: string,
  wanted: string | undefined,
  layout: Partial<Help>,
): Promise<Command> {
  const groups = await groupsWith(wanted);
  const isKnown = isIn(groups, wanted);
  return programOf(io, groups, version, layout, async (name, load) => {
    if (!isKnown) return new Command(name);
    return name === wanted ? makeCommand(io, name, load) : null;
  });
}

/** The program with all commands. */
const makeWholeProgram = async (io: Io, version: string): Promise<Command> =>
  programOf(io, await allGroups(), version, helpLayout(null), (name, load) => makeCommand(io, name, load));

/** @param make null for a command that is left out */
async function programOf(
  io: Io,
  groups: CommandGroups,
  version: string,
  layout: Partial<Help>,
  make: (name: string, load: () => Promise<object>) => Promise<Command | null>,
): Promise<Command> {
  const program = emptyProgram(io, version, layout);
  for (const [group, commands] of Object.entries(groups)) {
    for (const [name, [summary, load]] of Object.entries(commands)) {
      const command = await make(name, load);
      if (command) program.addCommand(adopt(command.description(summary).helpGroup(group), program, io));
    }
  }
  const help = new Command("help").description(`show the help of a command, a page, or ${EXIT_CODES_TOPIC}`);
  const showVersion = new Command("version").description("show the version");
  for (const command of [help.argument("[command...]"), showVersion])
    program.addCommand(adopt(command.helpGroup("Shell:"), program, io));
  return program;
}

function emptyProgram({ stdout, stderr }: Io, version: string, layout: Partial<Help>): Command {
  return new Command("momo")
    .description("A mobile-money sandbox: the payment service, a simulated network and a client in one program.")
    .version(version)
    .configureHelp(layout)
    .helpCommand(false)
    .enablePositionalOptions() // words after `exec --` belong to the other command
    .exitOverride()
    .configureOutput({
      writeOut: (text) => writeForPeople(stdout, text),
      writeErr: (text) => writeForPeople(stderr, text),
      getOutHelpWidth: () => helpWidth(stdout),
      getErrHelpWidth: () => helpWidth(stderr),
    });
}

/** What `momo complete -- WORDS` prints. Suggestions need all commands. */
export async function completions(io: Io, words: readonly string[], version: string): Promise<string> {
  const { suggestionsFor } = await import("./commands/completion.ts");
  return suggestionsFor(io, await makeWholeProgram(io, version), words);
}

/** The complete help of every command, 78 columns wide: the tests hold it against the documents. */
export async function helpPages(io: Io, version: string): Promise<{ name: string; text: string }[]> {
  const program = await makeWholeProgram(io, version);
  addHelp(program);
  const pages: { name: string; text: string }[] = [];
  const visit = (command: Command, path: string) => {
    let text = "";
    command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 78 }).outputHelp();
    pages.push({ name: path, text });
    for (const child of command.commands) visit(child, `${path} ${child.name()}`);
  };
  visit(program, "momo");
  return pages;
}

/** Copies settings that commander copies only to commands that it made itself. */
function adopt(command: Command, parent: Command, io: Io): Command {
  command.copyInheritedSettings(parent).helpCommand(false);
  nameRefusals(command, io.environment);
  for (const child of command.commands) adopt(child, command, io);
  return command;
}

/**
 * `momo help pay` is `momo pay --help`. A word that names no command stays, so that it is refused.
 * @throws Misuse if a word follows a page
 */
function helpCall(program: Command, words: readonly string[]): string[] {
  const command = commandOf(program, words);
  const path: string[] = [];
  for (let at: Command | null = command; at && at !== program; at = at.parent) path.unshift(at.name());
  const unknown = words[path.length];
  const isTopic = path.length === 0 && unknown !== undefined && (unknown === EXIT_CODES_TOPIC || isPage(unknown));
  if (isTopic) throw misuse(`there is an extra word after momo help ${unknown}: ${shownValue(words[1] ?? "")}`);
  return command.commands.length > 0 && unknown !== undefined ? [...path, unknown] : [...path, "--help"];
}

/** The command that the words name. Stops at the first word that names none. */
function commandOf(program: Command, words: readonly string[]): Command {
  let command = program;
  for (const word of words.filter((candidate) => !candidate.startsWith("-"))) {
    const child = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (!child) return command;
    command = child;
  }
  return command;
}

/** Prints why the command failed, and returns the exit code. */
function tellOf(io: Io, error: unknown, command: Command, json: boolean): number {
  // Help or version: no error.
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.done;
  const isHelp = error instanceof CommanderError && error.code === "commander.help";
  const refusal = isHelp ? misuse("a command is missing") : error;
  const failure = refusal instanceof Misuse ? usageFailure(refusal, command) : toFailure(refusal);
  // People have seen the help.
  if (!isHelp || json) io.tellFailure(failure, json);
  return failure.exitCode;
}
