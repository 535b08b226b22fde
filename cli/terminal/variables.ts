import type { Command, Option } from "commander";
import { serveVariable, serveVariableNames } from "../environment.ts";
import { misuse, wrongValue } from "./usage.ts";

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

/** A refusal that names variables in place of the options that came from the environment. */
export function inWordsOfVariables(text: string, command: Command): string {
  return text.replaceAll(/--[a-z][a-z-]*/g, (flag) => {
    const option = command.options.find(({ long }) => long === flag);
    const isVariable = option && command.getOptionValueSource(option.attributeName()) === "env";
    return isVariable ? variableOf(option) : flag;
  });
}

const isSwitch = (option: Option): boolean => !option.required && !option.optional;
