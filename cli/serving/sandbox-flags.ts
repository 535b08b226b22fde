import { basename } from "node:path";
import { type Command, Option } from "commander";
import type { Rule } from "../../sandbox/control/shapes/steering.ts";
import { type Choice, expectFit, parseChoice } from "../../sandbox/network/choice.ts";
import type { Start } from "../../sandbox/network/clock.ts";
import type { Tariff } from "../../src/domain/money.ts";
import type { BasePaths } from "../../src/http/paths.ts";
import type { Accept, Profile, ResponseForm } from "../../src/http/profile.ts";
import { parseFile } from "../files/files.ts";
import type { Io } from "../io.ts";
import {
  BASE_PATHS,
  outcomeOption,
  readBasePath,
  readDurationText,
  readPath,
  readPromptTimeout,
  readSeedText,
  readStart,
  readTariff,
  webhookUrlReader,
} from "../terminal/options.ts";
import type { SandboxConfig } from "./run-sandbox.ts";

const PROMPT_TIMEOUT_MS = 60_000;

/** The flags of `serve` and `exec` for the sandbox that they start. */
export interface SandboxFlags {
  readonly basePath?: string;
  readonly outcome: string;
  readonly after?: string;
  readonly promptTimeout?: number;
  readonly fee?: Tariff;
  readonly accept?: Accept;
  readonly responseForm?: ResponseForm;
  readonly profile?: string;
  readonly rules?: string;
  readonly webhook?: string;
  readonly clock?: Start;
  readonly seed?: string;
}

export function addSandboxOptions(command: Command): Command {
  return command
    .optionsGroup("What prompts do:")
    .addOption(outcomeOption("one of momo outcomes").default("completed"))
    .option("--after <duration>", "how long it takes (default: mostly 3s)", readDurationText)
    .option("--rules <file>", "JSON file of rules for prompts", readPath)
    .option("--prompt-timeout <duration>", "how long a prompt waits (default: 60s)", readPromptTimeout)
    .option("--clock <time>", "start at this time, frozen; 'TIME; running' lets it run", readStart)
    .option("--seed <text>", "the same ids and faults in each run with this text", readSeedText)
    .optionsGroup("The payment API:")
    .option("--base-path <path>", `prefix of its paths (default: ${BASE_PATHS.join(" and ")})`, readBasePath)
    .addOption(new Option("--accept <what>").choices(["strict", "lenient"]).default(undefined, "strict"))
    .addOption(new Option("--response-form <form>").choices(["full", "short"]).default(undefined, "full"))
    .option("--profile <file>", "be like a service: a file of momo check --profile", readPath)
    .option("--fee <tariff>", "of the account: 1%, 10 or 1.5%+10 (default: 1%)", readTariff)
    .option("--webhook <url>", "POST each final payment there", webhookUrlReader("--webhook"));
}

/** What a user chooses for a sandbox, from its options. */
export type SandboxChoices = Pick<
  SandboxConfig,
  "basePaths" | "profile" | "fallback" | "promptTimeoutMs" | "tariff" | "rules" | "webhook" | "startAt" | "seed"
>;

export async function configOf(io: Io, flags: SandboxFlags): Promise<SandboxChoices> {
  const { accept, responseForm } = flags;
  const profile = flags.profile === undefined ? {} : await readProfile(io, flags.profile);
  const { base_path, prompt_timeout, fee } = profile;
  const basePath = flags.basePath ?? (base_path === undefined ? undefined : readBasePath(base_path));
  const basePaths: BasePaths = basePath === undefined ? BASE_PATHS : [basePath];
  return {
    basePaths,
    // A flag wins over the profile.
    profile: { ...profile, ...(accept && { accept }), ...(responseForm && { response_form: responseForm }) },
    fallback: fallbackOf(flags, io.optionName),
    promptTimeoutMs: flags.promptTimeout ?? (prompt_timeout ? readPromptTimeout(prompt_timeout) : PROMPT_TIMEOUT_MS),
    tariff: flags.fee ?? (fee ? readTariff(fee) : null),
    rules: flags.rules === undefined ? [] : await readRulesFile(io, flags.rules),
    webhook: flags.webhook ?? null,
    startAt: flags.clock ?? null,
    seed: flags.seed ?? null,
  };
}

function fallbackOf({ outcome, after }: SandboxFlags, optionName: (flag: string) => string): Choice {
  const choice = parseChoice(outcome, optionName("--outcome"));
  return after === undefined ? choice : expectFit({ ...choice, after }, (member) => optionName(`--${member}`));
}

/**
 * The rules in a file, in the form that the control API accepts.
 * @throws Failure `usage` that names the file and the place in it
 */
async function readRulesFile(io: Io, file: string): Promise<Rule[]> {
  // Loaded only with --rules, as profiles are with --profile: with zod, they take 18 of 62 ms until momo serve is ready.
  const { parseRules } = await import("../../sandbox/control/rules.ts");
  return parseFile(io, file, parseRules, {
    flag: io.optionName("--rules"),
    hint: "write one rule, or an array of them",
  });
}

/**
 * The profile in a file. It has a name.
 * @throws Failure `usage` that names the file and the place in it
 */
async function readProfile(io: Io, file: string): Promise<Profile> {
  const { parseProfile } = await import("../../sandbox/check/profiles.ts");
  return {
    name: basename(file, ".json"),
    ...parseFile(io, file, parseProfile, { flag: io.optionName("--profile"), hint: "write an object" }),
  };
}
