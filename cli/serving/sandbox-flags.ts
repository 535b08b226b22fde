import { type Command, Option } from "commander";
import { type Choice, chooseAfter } from "../../sandbox/network/choice.ts";
import { OUTCOME_NAMES, type OutcomeName } from "../../sandbox/network/outcomes.ts";
import type { Rule } from "../../sandbox/network/rules.ts";
import type { Tariff } from "../../src/domain/fee.ts";
import type { ResponseForm } from "../../src/http/answers.ts";
import type { Accept } from "../../src/http/operation.ts";
import { Failure } from "../terminal/failure.ts";
import { BASE_PATHS, readBasePath, readPromptTimeout, readTariff, readWebhookUrl } from "../terminal/options.ts";
import { readJsonFile } from "./files.ts";
import type { SandboxConfig } from "./run-sandbox.ts";

/** The flags of `serve` and `exec` for the sandbox that they start. */
export interface SandboxFlags {
  readonly basePath?: string;
  readonly outcome: OutcomeName;
  readonly after?: string;
  readonly promptTimeout: number;
  readonly fee?: Tariff;
  readonly accept: Accept;
  readonly responseForm: ResponseForm;
  readonly rules?: string;
  readonly webhook?: string;
}

export function addSandboxOptions(command: Command): Command {
  return command
    .optionsGroup("What prompts do:")
    .addOption(new Option("--outcome <name>", "one of momo outcomes").choices(OUTCOME_NAMES).default("completed"))
    .option("--after <duration>", "how long it takes (default: mostly 3s)")
    .option("--rules <file>", "JSON file of rules for prompts")
    .addOption(
      new Option("--prompt-timeout <duration>", "how long a prompt waits")
        .default(60_000, "60s")
        .argParser(readPromptTimeout),
    )
    .optionsGroup("The payment API:")
    .option("--base-path <path>", `prefix of its paths (default: ${BASE_PATHS.join(" and ")})`, readBasePath)
    .addOption(new Option("--accept <what>", "strict, or lenient").choices(["strict", "lenient"]).default("strict"))
    .addOption(
      new Option("--response-form <form>", "full, or short as it was earlier")
        .choices(["full", "short"])
        .default("full"),
    )
    .option("--fee <tariff>", "of the account: 1%, 10 or 1.5%+10 (default: 1%)", readTariff)
    .option("--webhook <url>", "POST each final payment there", readWebhookUrl);
}

export async function configOf(
  flags: SandboxFlags,
): Promise<
  Pick<SandboxConfig, "basePaths" | "accept" | "fallback" | "promptTimeoutMs" | "tariff" | "form" | "rules" | "webhook">
> {
  return {
    basePaths: flags.basePath === undefined ? BASE_PATHS : [flags.basePath],
    accept: flags.accept,
    fallback: fallbackOf(flags),
    promptTimeoutMs: flags.promptTimeout,
    tariff: flags.fee ?? null,
    form: flags.responseForm,
    rules: flags.rules === undefined ? [] : await readRulesFile(flags.rules),
    webhook: flags.webhook ?? null,
  };
}

function fallbackOf({ outcome, after }: SandboxFlags): Choice {
  return after === undefined ? { outcome, afterMs: null } : chooseAfter(outcome, after, "--after");
}

/**
 * The rules in a file, in the form that the control API accepts.
 * @throws Failure `usage` that names the file and the place in it
 */
export async function readRulesFile(file: string): Promise<Rule[]> {
  // Loaded only with --rules: zod takes 6 ms of the start.
  const { parseRules } = await import("../../sandbox/control/rules.ts");
  try {
    const content = readJsonFile(file);
    if (content === undefined) throw new Error("there is no such file");
    return parseRules(content);
  } catch (error) {
    throw new Failure("usage", `--rules ${file}: ${reasonOf(error as NodeJS.ErrnoException)}`);
  }
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.syscall !== undefined) return `it cannot be read (${error.code})`;
  return error instanceof SyntaxError ? "it is not JSON: write one rule, or an array of them" : error.message;
}
