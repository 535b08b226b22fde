import { type Argument, type Command, CommanderError, Option } from "commander";
import { redact } from "../../src/domain/redact.ts";
import type { Environment } from "../environment.ts";
import type { Io } from "../io.ts";
import { Failure } from "./failure.ts";
import { examplesOf } from "./help.ts";

/** Explains a wrong command line in plain words, and names the help that says what would be right. */

/** A longer value is cut: its beginning is enough to recognise it. */
const BEGINNING = /^.{0,100}/su;

/** @param rule such as `must be a whole number from 1` */
export const wrongValue = (name: string, rule: string, value: string): string => withValue(`${name} ${rule}`, value);

const withValue = (sentence: string, value: string): string => `${sentence}; it is ${shownValue(value)}`;

/** A word of the command line in a refusal: without secrets, and only the beginning of a long one. */
export function shownValue(value: string): string {
  const shown = redact(value);
  const beginning = BEGINNING.exec(shown)?.[0];
  return JSON.stringify(beginning === shown ? shown : `${beginning}…`);
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
export function nameRefusals(command: Command, environment: Environment): void {
  for (const taker of [...command.options, ...command.registeredArguments]) {
    const read: ((text: string, previous: unknown) => unknown) | undefined = taker.parseArg;
    if (read === undefined) continue;
    taker.argParser((text: string, previous: unknown) => {
      try {
        return read.call(taker, text, previous);
      } catch (error) {
        const name =
          taker instanceof Option ? nameOfOption(taker, text, command, environment) : taker.name().toUpperCase();
        throw misuseOf(error, name, text, taker);
      }
    });
  }
}

function misuseOf(error: unknown, name: string, text: string, taker: Option | Argument): unknown {
  if (error instanceof WrongValue) return misuse(withValue(error.sentence(name), text));
  const isByChoices = error instanceof CommanderError && error.code === "commander.invalidArgument";
  return isByChoices ? misuse(wrongValue(name, `must be one of ${taker.argChoices?.join(", ")}`, text)) : error;
}

/** Its variable, if the value came from there. */
function nameOfOption(option: Option, text: string, command: Command, environment: Environment): string {
  const { envVar } = option;
  const isGiven = command.getOptionValueSource(option.attributeName()) === "cli";
  const isVariable = envVar !== undefined && !isGiven && environment.callersVariable(envVar) === text;
  return isVariable ? envVar : (option.long ?? option.flags);
}

/** The command line is wrong. */
export class Misuse extends Error {
  /** @param hint what to do, for the command that was called */
  constructor(
    message: string,
    readonly hint: (command: Command) => string = helpHint,
  ) {
    super(message);
  }
}

/** A command throws this if its command line is wrong. */
export const misuse = (message: string): Misuse => new Misuse(message);

/** The same for a missing argument: the hint shows how the command is used. */
export const missingArgument = (message: string): Misuse => new Misuse(message, usageHint);

export const usageFailure = ({ message, hint }: Misuse, command: Command): Failure =>
  new Failure("usage", message, hint(command));

export const helpHint = (command: Command): string =>
  `${nameOf(command)} --help shows ${command.commands.length > 0 ? "the commands" : "how it is used"}`;

function usageHint(command: Command): string {
  const [[example] = []] = examplesOf(command);
  const usage = `usage: ${nameOf(command)} ${command.usage()}`;
  return example === undefined ? usage : `${usage}; such as ${example}`;
}

/** With the names of the commands above it. */
export function nameOf(command: Command): string {
  return command.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();
}

/** Options from the environment: `MOMO_SERVE_PORT` is `--port`. An option of the command line comes first. */

const SWITCH_ON = /^(?:1|true)$/i;
const SWITCH_OFF = /^(?:0|false)$/i;

const variableOf = (option: Option) => `MOMO_SERVE_${option.name().replaceAll("-", "_").toUpperCase()}` as const;

/** Reads an option from its variable. An empty variable counts as not set, and a switch that is off as not given. */
export function takeVariable(option: Option, environment: Environment): Option {
  const name = variableOf(option);
  const value = environment.serveVariable(name);
  return value === undefined || (isSwitch(option) && SWITCH_OFF.test(value)) ? option : option.env(name);
}

/**
 * Refuses other values of switches than 1 and 0, because commander would accept any text, and variables of options that do not exist.
 * @throws Misuse that names the variable
 */
export function checkVariables(command: Command, environment: Environment): void {
  const names = new Set<string>(command.options.map(variableOf));
  const unknown = environment.serveVariableNames().find((name) => !names.has(name));
  if (unknown !== undefined) throw misuse(`${unknown} is set, and momo serve has no such option`);
  for (const option of command.options) {
    const value = environment.serveVariable(variableOf(option));
    if (value !== undefined && isSwitch(option) && !SWITCH_ON.test(value) && !SWITCH_OFF.test(value)) {
      throw misuse(wrongValue(variableOf(option), "must be 1 or 0", value));
    }
  }
}

/** Remembers for `optionName` which options of a parsed line came from variables. */
export function rememberVariables(command: Command, { givenByVariable }: Io): void {
  for (const option of command.options) {
    const isVariable = command.getOptionValueSource(option.attributeName()) === "env";
    if (isVariable && option.long && option.envVar) givenByVariable.set(option.long, option.envVar);
  }
}

const isSwitch = (option: Option): boolean => !option.required && !option.optional;
