import { Command as Commander, type Option } from "commander";
import { nearest } from "../../src/http/nearest.ts";
import { helpHint, Misuse, missingArgument, misuse, nameOf, shownValue } from "./usage.ts";

/**
 * A command whose refusals have our own words. Commander calls these methods with what came, although its types do not name them;
 * its own would only make a sentence of it.
 */
class RefusingCommand extends Commander {
  override createCommand(name?: string): Command {
    return new RefusingCommand(name);
  }

  missingArgument(name: string): never {
    throw missingArgument(`${name.toUpperCase()} is missing`);
  }

  optionMissingArgument({ flags, long }: Option): never {
    throw misuse(`${long ?? flags} needs a value: ${flags}`);
  }

  _conflictingOption(option: Option, other: Option): never {
    throw misuse(`${this.#givenAs(option)} cannot be used with ${this.#givenAs(other)}: give one of them`);
  }

  unknownOption(flag: string): never {
    // What follows the name may be a secret.
    const [name] = /^(?:--[^=:\s]*|-[a-z])/i.exec(flag) ?? [flag];
    const known = this.options.find(({ long, short }) => name === long || name === short);
    if (known && !known.required && !known.optional) throw misuse(`${name} takes no value`);
    if (known) this.optionMissingArgument(known);
    const names = [...this.options.map((option) => option.name()), "help"];
    const meant = name.startsWith("--no-") ? undefined : nearest(name.replace(/^-+/, ""), names);
    throw unknown(`option ${shownValue(name)}`, meant, "--");
  }

  _excessArguments(received: readonly string[]): never {
    const names = this.registeredArguments.map((argument) => argument.name().toUpperCase());
    const place = names.length > 0 ? names.join(" and ") : nameOf(this);
    throw misuse(`there is an extra word after ${place}: ${shownValue(received[names.length] ?? "")}`);
  }

  unknownCommand(): never {
    const [name = ""] = this.args;
    const names = this.commands.flatMap((command) => [command.name(), ...command.aliases()]);
    throw unknown(`command ${shownValue(name)}`, nearest(name, names));
  }

  /** Its variable, if the value came from there. */
  #givenAs(option: Option): string {
    const isVariable = this.getOptionValueSource(option.attributeName()) === "env";
    return (isVariable ? option.envVar : option.long) ?? option.flags;
  }
}

/** It has commander's type, which its methods return. */
export const Command: typeof Commander = RefusingCommand;
export type Command = Commander;

function unknown(what: string, meant: string | undefined, prefix = ""): Misuse {
  const suggestion = meant === undefined ? "" : `Did you mean ${prefix}${meant}? `;
  return new Misuse(`there is no ${what}`, (command) => suggestion + helpHint(command));
}
