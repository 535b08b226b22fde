import { Argument, type Command, Option } from "commander";
import { FAULT_MEMBERS, type KindMember } from "../../sandbox/control/shapes/faults.ts";
import { FAULT_NAMES, FAULTS, type FaultName, kindOf } from "../../sandbox/faults/kinds.ts";
import { Refusal } from "../../src/domain/error.ts";
import { jsonSchemaOf } from "../../src/http/description.ts";
import { parseInput } from "../../src/http/parse-input.ts";
import { OPERATION_PATHS } from "../../src/http/paths.ts";
import { readProbability, readSeed } from "../terminal/options.ts";
import { misuse, wrongValue } from "../terminal/usage.ts";
import type { Own } from "./steering.ts";
import { READERS } from "./values.ts";

/** `momo faults add`, whose options are the members of the kinds. */
export const ADD_FAULT: Own = {
  prepare(command: Command) {
    const kinds = FAULT_NAMES.map((name) => FAULTS[name].words).join(", ");
    command
      .addArgument(new Argument("<kind>", kinds).choices(FAULT_NAMES))
      .addOption(new Option("--path <path>", "requests of this path only").choices(OPERATION_PATHS));
    for (const { option } of MEMBER_OPTIONS) command.addOption(option);
    command
      .option("--probability <share>", "of the requests, such as 0.2 (default: 1)", readProbability)
      .option("--times <number>", "how many requests; then the fault ends", (text) => READERS.uses(text, "--times"))
      .option("--seed <number>", "the same seed gives the same faults", readSeed);
  },
  sends(flags, name) {
    const kind = name as FaultName;
    const { path, probability, times, seed } = flags;
    const { words, needs = [], fields = {} } = kindOf({ kind });
    const members: Record<string, unknown> = {};
    for (const { name: member, kind: owner, option } of MEMBER_OPTIONS) {
      const value = flags[option.attributeName()];
      if (value !== undefined && owner !== kind) throw misuse(`${option.long} is for ${FAULTS[owner].words} only`);
      if (value === undefined && needs.includes(member))
        throw misuse(`${words} needs ${option.long}, such as ${option.long} ${fields[member]?.first}`);
      members[member] = value;
    }
    return { seed, faults: [{ kind, path, ...members, probability, times }] };
  },
};

/** The option of each member that only one kind has. */
const MEMBER_OPTIONS = FAULT_MEMBERS.map((member) => ({ ...member, option: optionOf(member) }));

/** The schema checks the value, as the control API does. A member with lines has an option for each: `--header` for `headers`. */
function optionOf({ name, schema }: KindMember): Option {
  const { type } = jsonSchemaOf(schema, "input");
  const flag = `--${name.replaceAll("_", "-")}`;
  const means = schema.description ?? "";
  if (type === "boolean") return new Option(flag, means);
  if (type === "integer")
    return new Option(`${flag} <number>`, means).argParser((text) => checked(schema, flag, numberIn(flag, text)));
  if (type !== "object") return new Option(`${flag} <text>`, means).argParser((text) => checked(schema, flag, text));
  const each = flag.replace(/s$/, "");
  return new Option(`${each} <line>`, `${means}; as a line, 'NAME: VALUE', one option for each`).argParser(
    (text, before?: Lines) => checked(schema, each, withLine(each, text, before)),
  );
}

/** @throws misuse in the words of the schema */
function checked<Value>(schema: KindMember["schema"], flag: string, value: Value): Value {
  try {
    parseInput(schema, value, null, flag);
    return value;
  } catch (error) {
    throw error instanceof Refusal ? misuse(error.message) : error;
  }
}

function numberIn(flag: string, text: string): number {
  if (/^-?[0-9]{1,15}$/.test(text)) return Number(text);
  throw misuse(wrongValue(flag, "must be a whole number", text));
}

type Lines = Readonly<Record<string, string>>;

/** Adds a line such as `Retry-After: 5` to those before it. */
function withLine(flag: string, line: string, before: Lines = {}): Lines {
  const [, name, value] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? [];
  if (name === undefined || value === undefined) {
    throw misuse(wrongValue(flag, "must be a line such as 'Retry-After: 5'", line));
  }
  if (Object.keys(before).some((other) => other.toLowerCase() === name.toLowerCase())) {
    throw misuse(wrongValue(flag, "must name each header once: letter case does not matter", line));
  }
  return { ...before, [name]: value };
}
