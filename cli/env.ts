import { Command, Option } from "commander";
import { controlClient } from "./client.ts";
import { dataOption } from "./options.ts";
import { print, printJson } from "./output.ts";
import { type ControlTarget, resolveControl, resolveTarget, type Target } from "./target.ts";

const FORMATS = ["shell", "dotenv", "github", "json"] as const;
type Format = (typeof FORMATS)[number];

export function envCommand(): Command {
  return new Command("env")
    .addOption(new Option("--format <format>", "how").choices(FORMATS).default("shell"))
    .addOption(dataOption())
    .action(env);
}

async function env({ format, data }: { format: Format; data?: string }): Promise<void> {
  const flags = data === undefined ? {} : { data };
  const target = { ...resolveTarget(flags), ...resolveControl(flags) };
  // Variables that lead nowhere would only fail later and elsewhere.
  await controlClient(target).get("/health", {});
  const variables = variablesOf(target);
  if (format === "json") printJson(variables);
  else for (const [name, value] of Object.entries(variables)) print(LINE[format](name, value));
}

/** What a program needs to find the sandbox, and to steer it. */
export function variablesOf(target: Target & ControlTarget): Record<string, string> {
  return {
    MOMO_BASE_URL: target.baseUrl,
    MOMO_API_KEY: target.apiKey,
    MOMO_API_SECRET: target.apiSecret,
    ...(target.paymentAccountId !== null && { MOMO_PAYMENT_ACCOUNT_ID: String(target.paymentAccountId) }),
    MOMO_CONTROL_URL: target.controlUrl,
    ...(target.controlToken !== null && { MOMO_CONTROL_TOKEN: target.controlToken }),
  };
}

const LINE: Record<Exclude<Format, "json">, (name: string, value: string) => string> = {
  shell: (name, value) => `export ${name}='${value.replaceAll("'", `'\\''`)}'`,
  dotenv: (name, value) => `${name}="${value.replaceAll(/["\\$`]/g, "\\$&")}"`,
  github: (name, value) => `${name}=${value}`,
};
