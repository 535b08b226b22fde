import { type Argument, type Command, CommanderError, Option } from "commander";
import { redact } from "../../src/domain/redact.ts";
import { visible } from "../../src/domain/visible.ts";
import { callersVariable, serveVariable, serveVariableNames } from "../environment.ts";
import { host } from "../host.ts";
import { EXIT, Failure } from "./failure.ts";
import { examplesOf } from "./help.ts";

/** Explains a wrong command line in plain words, and names the help that says what would be right. */

/** A longer value is cut: its beginning is enough to recognise it. */
const MAX_SHOWN_VALUE = 100;

/** @param rule such as `must be a whole number from 1` */
export const wrongValue = (name: string, rule: string, value: string): string => withValue(`${name} ${rule}`, value);

function withValue(sentence: string, value: string): string {
  const shown = redact(value);
  const cut = shown.length > MAX_SHOWN_VALUE ? `${shown.slice(0, MAX_SHOWN_VALUE)}…` : shown;
  return `${sentence}; it is ${JSON.stringify(cut)}`;
}

/** The reader of an option or an argument refuses its value. */
export class WrongValue extends Error {
  /** @param sentence what is wrong, about the option or the argument with this name */
  constructor(readonly sentence: (name: string) => string) {
    super(sentence("It"));
  }
}

/** @param rule such as `must be a day` */
export const wrong = (rule: string): WrongValue => new WrongValue((name) => `${name} ${rule}`);

/** Names each option and argument in the refusals of its reader: commander would only write them into a sentence of its own. */
export function nameRefusals(command: Command): void {
  for (const taker of [...command.options, ...command.registeredArguments]) {
    const read: ((text: string, previous: unknown) => unknown) | undefined = taker.parseArg;
    if (read === undefined) continue;
    taker.argParser((text: string, previous: unknown) => {
      try {
        return read.call(taker, text, previous);
      } catch (error) {
        throw misuseOf(error, text, taker, command);
      }
    });
  }
}

function misuseOf(error: unknown, text: string, taker: Option | Argument, command: Command): unknown {
  const name = taker instanceof Option ? nameOfOption(taker, text, command) : taker.name().toUpperCase();
  if (error instanceof WrongValue) return misuse(withValue(error.sentence(name), text));
  const isByChoices = error instanceof CommanderError && error.code === "commander.invalidArgument";
  return isByChoices ? misuse(wrongValue(name, `must be one of ${taker.argChoices?.join(", ")}`, text)) : error;
}

/** Its variable, if the value came from there. */
function nameOfOption(option: Option, text: string, command: Command): string {
  const { envVar } = option;
  const isGiven = command.getOptionValueSource(option.attributeName()) === "cli";
  const isVariable = envVar !== undefined && !isGiven && callersVariable(envVar) === text;
  return isVariable ? envVar : (option.long ?? option.flags);
}

const MISUSE = "momo.misuse";
const MISSING_ARGUMENT = "momo.missingArgument";

/** A command throws this if its command line is wrong. */
export const misuse = (message: string): CommanderError => new CommanderError(EXIT.usage, MISUSE, message);

/** The same for a missing argument: the hint shows how the command is used. */
export const missingArgument = (message: string): CommanderError =>
  new CommanderError(EXIT.usage, MISSING_ARGUMENT, message);

/** @param command its help is named in the hint */
export function usageFailure({ code, message }: CommanderError, command: Command): Failure {
  const lead = `${nameOf(command)} --help shows ${command.commands.length > 0 ? "the commands" : "how it is used"}`;
  if (code === "commander.help") return new Failure("usage", "a command is missing", lead);
  if (code === MISUSE) return new Failure("usage", inOneLine(message), lead);
  if (code === MISSING_ARGUMENT) return new Failure("usage", inOneLine(message), usageOf(command));
  const [said, suggestion] = partsOf(message);
  if (code === "commander.missingArgument") return new Failure("usage", inOneLine(said), usageOf(command));
  return new Failure("usage", inOneLine(said), suggestion === null ? lead : `${suggestion} ${lead}`);
}

/** What commander puts before each of its messages. */
const MARK = "error: ";

/** A message of commander's, and the suggestion that it has in parentheses on a line of its own. Only the text has them. */
function partsOf(message: string): [said: string, suggestion: string | null] {
  const lines = message.slice(MARK.length).split("\n");
  const last = lines.length > 1 && /^\(.*\)$/.test(lines.at(-1) ?? "") ? lines.pop() : undefined;
  return [lines.join("\n"), last?.slice(1, -1) ?? null];
}

function usageOf(command: Command): string {
  const [[example] = []] = examplesOf(command);
  const usage = `usage: ${nameOf(command)} ${command.usage()}`;
  return example === undefined ? usage : `${usage}; such as ${example}`;
}

/** As one line without secrets, and with the beginning of a long value. */
const inOneLine = (said: string): string => visible(redact(said)).replaceAll(/(?<=')([^']{100})[^']+(?=')/gu, "$1…");

function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

/** Options from the environment: `MOMO_SERVE_PORT` is `--port`. An option of the command line comes first. */

const SWITCH_ON = /^(?:1|true)$/i;
const SWITCH_OFF = /^(?:0|false)$/i;

const variableOf = (option: Option) => `MOMO_SERVE_${option.name().replaceAll("-", "_").toUpperCase()}` as const;

/** Reads an option from its variable. An empty variable counts as not set, and a switch that is off as not given. */
export function takeVariable(option: Option): Option {
  const name = variableOf(option);
  const value = serveVariable(name);
  return value === undefined || (isSwitch(option) && SWITCH_OFF.test(value)) ? option : option.env(name);
}

/**
 * Refuses other values of switches than 1 and 0, because commander would accept any text, and variables of options that do not exist.
 * @throws CommanderError that names the variable
 */
export function checkVariables(command: Command): void {
  const names = new Set<string>(command.options.map(variableOf));
  const unknown = serveVariableNames().find((name) => !names.has(name));
  if (unknown !== undefined) throw misuse(`${unknown} is set, and momo serve has no such option`);
  for (const option of command.options) {
    const value = serveVariable(variableOf(option));
    if (value !== undefined && isSwitch(option) && !SWITCH_ON.test(value) && !SWITCH_OFF.test(value)) {
      throw misuse(wrongValue(variableOf(option), "must be 1 or 0", value));
    }
  }
}

/** Remembers for {@link optionName} which options of a parsed line came from variables. */
export function rememberVariables(command: Command): void {
  for (const option of command.options) {
    const isVariable = command.getOptionValueSource(option.attributeName()) === "env";
    if (isVariable && option.long && option.envVar) host().givenByVariable.set(option.long, option.envVar);
  }
}

/** How a refusal names an option: by its variable, if the value came from there. */
export const optionName = (flag: string): string => host().givenByVariable.get(flag) ?? flag;

const isSwitch = (option: Option): boolean => !option.required && !option.optional;
