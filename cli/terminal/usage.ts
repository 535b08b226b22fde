import { type Command, CommanderError } from "commander";
import { redact } from "../../src/domain/credentials.ts";
import { EXIT, Failure } from "./failure.ts";

/** A command line that makes no sense, told in plain words, with the command whose help says what would. */

/** Of a value that came, a person knows it again by its beginning. */
const MAX_SHOWN_VALUE = 100;

/** @param rule such as `must be a whole number from 1` */
export function wrongValue(name: string, rule: string, value: string): string {
  const shown = redact(value);
  const cut = shown.length > MAX_SHOWN_VALUE ? `${shown.slice(0, MAX_SHOWN_VALUE)}…` : shown;
  return `${name} ${rule}; it is ${JSON.stringify(cut)}`;
}

/** What commander says, and what momo says instead; the rest is plain enough. */
const IN_PLAIN_WORDS: readonly [RegExp, (...parts: string[]) => string][] = [
  [
    /^option '[^']*' value '(.*)' from env '(\w+)' is invalid\. (?:It (.*)|Allowed choices are (.*)\.)$/s,
    (value = "", name = "", rule, choices) => wrongValue(name, rule ?? `must be one of ${choices}`, value),
  ],
  [
    /^option '(?:-\w, )?(--[\w-]+)[^']*' argument '(.*)' is invalid\. (?:It (.*)|Allowed choices are (.*)\.)$/s,
    (name = "", value = "", rule, choices) => wrongValue(name, rule ?? `must be one of ${choices}`, value),
  ],
  [
    /^command-argument value '(.*)' is invalid for argument '(.*)'\. (?:It (.*)|Allowed choices are (.*)\.)$/s,
    (value = "", name = "", rule, choices) =>
      wrongValue(name.toUpperCase(), rule ?? `must be one of ${choices}`, value),
  ],
  // A rule that is a sentence of its own, and says what came.
  [/^option '(?:-\w, )?(--[\w-]+)[^']*' argument '.*' is invalid\. (.*)$/s, (name, rule) => `${name}: ${rule}`],
  [/^missing required argument '(.*)'$/, (name = "") => `${name.toUpperCase()} is missing`],
  [/^option '(?:-\w, )?(--[\w-]+)(.*)' argument missing$/, (name, value) => `${name} needs a value: ${name}${value}`],
];

/** What is wrong with a command line; thrown by a command itself, and told with its help. */
export const misuse = (message: string): CommanderError => new CommanderError(EXIT.usage, "momo.misuse", message);

/** @param command the one whose help tells more */
export function usageFailure({ code, message }: CommanderError, command: Command): Failure {
  const lead = `${nameOf(command)} --help shows ${command.commands.length > 0 ? "the commands" : "how it is used"}`;
  if (code === "commander.help") return new Failure("usage", "a command is missing", lead);
  const [said = "", suggestion] = message.replace(/^error: /, "").split(/\n(\(Did you mean .*\))$/);
  return new Failure("usage", plainWords(said), suggestion ? `${suggestion.slice(1, -1)} ${lead}` : lead);
}

function plainWords(said: string): string {
  for (const [pattern, say] of IN_PLAIN_WORDS) {
    const match = pattern.exec(said);
    if (match) return say(...match.slice(1));
  }
  return said;
}

function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}
