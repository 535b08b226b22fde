import { Option } from "commander";
import { controlClient } from "../client/client.ts";
import { resolveControl, resolveTarget, type TargetFlags, variablesOf } from "../client/target.ts";
import type { Io } from "../io.ts";
import { Command } from "../terminal/command.ts";
import { serverOptions, withOptions } from "../terminal/options.ts";

const FORMATS = ["shell", "powershell", "dotenv", "github", "json"] as const;
type Format = (typeof FORMATS)[number];

export function envCommand(io: Io): Command {
  const command = new Command("env").addOption(
    new Option("--format <format>", "how").choices(FORMATS).default("shell"),
  );
  return withOptions(command, ...serverOptions())
    .addOption(new Option("--json", "the same as --format json").conflicts("format"))
    .action((flags: EnvFlags) => env(io, flags));
}

interface EnvFlags extends TargetFlags {
  readonly format: Format;
  readonly json?: true;
}

async function env(io: Io, { format, json, ...flags }: EnvFlags): Promise<void> {
  const target = { ...resolveTarget(io, flags), ...resolveControl(io, flags) };
  // Check the address and the token now: in the variables they would fail later, in another program.
  await controlClient(target).get("/clock", {});
  const variables = variablesOf(target);
  if (json || format === "json") io.printJson(variables);
  else for (const [name, value] of Object.entries(variables)) io.print(LINE[format](name, value));
}

const LINE: Record<Exclude<Format, "json">, (name: string, value: string) => string> = {
  shell: (name, value) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`,
  powershell: (name, value) => `$env:${name} = '${value.replaceAll("'", "''")}'`,
  // Docker and podman take quotes of an --env-file literally.
  dotenv: (name, value) => `${name}=${/^[\w:/.@%+,=~[\]-]*$/.test(value) ? value : inQuotes(value)}`,
  github: (name, value) => `${name}=${value}`,
};

const inQuotes = (value: string): string => `"${value.replaceAll(/["\\$`]/g, "\\$&")}"`;
