import type { Argument, Command, Help, Option } from "commander";
import { EXIT_CODES } from "./failure.ts";
import { wrapped } from "./output.ts";
import { PAGE_NAMES } from "./pages.ts";

/** What the help of a command has besides its options: examples, and where to read more. */

type Example = readonly [line: string, does: string];

/** The examples of each command that has none of its own. */
const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  "": [
    ["momo serve", "start the sandbox, and leave it running"],
    ["momo pay 0712345678 100 --wait", "in another terminal: make a payment"],
    ["momo exec --audit -- npm test", "or run tests with a private sandbox"],
  ],
  serve: [
    ["momo serve", "on 127.0.0.1:2547; the data is kept"],
    ["momo serve --ephemeral --port 0 --json", "any free port, nothing kept"],
    ["momo serve --host 0.0.0.0 --log requests", "for others in your network"],
  ],
  exec: [
    ["momo exec -- npm test", "run a test suite with a private sandbox"],
    ["momo exec --audit -- npm test", "fail at a costly mistake"],
    ["momo exec --outcome cancelled -- ./checkout.sh", "every customer cancels"],
  ],
  open: [["momo open --print", "print the address only"]],
  tail: [["momo tail --format json | jq .status", "one JSON object a line"]],
  pay: [
    ["momo pay 0712345678 100 --wait", "wait for the outcome"],
    ["momo pay 254700000032 100 --wait", "its customer cancels"],
    ["momo pay 0712345678 100 --outcome wrong_pin", "choose the outcome"],
  ],
  status: [
    ["momo status 12", "show payment 12"],
    ["momo status 12 --wait", "wait until it is final"],
  ],
  list: [
    ["momo list --status failed", "the failed ones, with their reasons"],
    ["momo list --format tsv | cut -f 1,4", "numbers and statuses, for a script"],
  ],
  mcp: [["momo mcp --config claude", "the settings for Claude Code: put them into .mcp.json"]],
  phone: [
    ["momo phone 0712345678", "be the customer of one phone"],
    ["momo phone", "of every phone"],
  ],
  answer: [
    ["momo answer 12 --pin 1234", "the customer of payment 12 pays"],
    ["momo answer 12 --outcome cancelled", "or cancels"],
  ],
  outcomes: [["momo outcomes -q", "the names only"]],
  audit: [
    ["momo audit", "what clients did wrong, and the right code"],
    ["momo audit --format junit --output audit.xml", "for a CI server"],
  ],
  reset: [["momo reset --yes", "without asking"]],
  "merchants create": [["momo merchants create --name 'Corner Shop'", "register one"]],
  "accounts create": [["momo accounts create --name Till --fee 1.5%+10", "open one with a tariff"]],
  "keys create": [["momo keys create --label staging", "make one; its secret is shown once"]],
  "keys revoke": [["momo keys revoke mk_…", "the service refuses it from now on"]],
  export: [["momo export - | gzip > momo.gz", "through a pipe"]],
  import: [
    ["momo import momo.backup --data /tmp/copy", "into a separate folder"],
    ["momo import momo.backup --replace", "replace the existing data"],
  ],
  migrate: [["momo migrate --database postgres://momo@db.example/momo", "before servers of this version start"]],
  check: [
    ["momo check --target https://pay.example/api/v2 --report check.xml", "reads only"],
    ["momo check --target URL --dry-run", "what would be sent, as curl"],
  ],
  doctor: [["momo doctor", "why momo pay fails, and how to fix it"]],
  health: [["momo health || echo down", "for the probe of a container"]],
  client: [["momo client js > client.mjs", "to copy into a program"]],
  env: [
    ['eval "$(momo env)"', "MOMO_* in this shell"],
    ["momo env --format dotenv > .env", "for a program that reads .env"],
  ],
  completion: [
    ["source <(momo completion bash)", "in ~/.bashrc"],
    ["source <(momo completion zsh)", "in ~/.zshrc, after compinit"],
    ["momo completion fish | source", "in ~/.config/fish/config.fish"],
  ],
};

/** The pages of `momo help PAGE` that say more about a command. */
const READ_MORE: Readonly<Record<string, readonly string[]>> = {
  serve: ["operations"],
  exec: ["testing", "intercept"],
  mcp: ["agents"],
  open: ["console"],
  outcomes: ["steering"],
  audit: ["audit"],
  export: ["operations"],
  import: ["operations"],
  migrate: ["replicas"],
  check: ["api"],
};

const LEARN_MORE = "momo help COMMAND explains a command, momo help exit-codes the exit codes.";

/** What a command says itself in its help, instead of the tables above. */
interface HelpNotes {
  readonly examples?: readonly Example[];
  readonly pages?: readonly string[];
}

const NOTES = new WeakMap<Command, HelpNotes>();

export function noteHelp(command: Command, notes: HelpNotes): void {
  NOTES.set(command, { ...NOTES.get(command), ...notes });
}

/** The words of a command after `momo`. */
const pathOf = (command: Command): readonly string[] =>
  command.parent ? [...pathOf(command.parent), command.name()] : [];

/** The examples of a command, with those of its sub-commands. */
export function examplesOf(command: Command): readonly Example[] {
  const inside = command.parent ? command.commands : [];
  return [command, ...inside].flatMap((one) => NOTES.get(one)?.examples ?? EXAMPLES[pathOf(one).join(" ")] ?? []);
}

/** Adds examples and links to the help of the program and each command. */
export function addHelp(command: Command): void {
  command.addHelpText("after", () => restOf(command));
  for (const child of command.commands) addHelp(child);
}

function restOf(command: Command): string {
  const path = pathOf(command);
  const examples = examplesOf(command);
  const width = Math.max(...examples.map(([line]) => line.length));
  // A comment fits beside a short line only.
  const isBeside = examples.every(([, does]) => width + does.length <= 74);
  const lines = examples.flatMap(([line, does]) =>
    isBeside ? [`  ${line.padEnd(width)}  # ${does}`] : [`  # ${does}`, `  ${line}`],
  );
  if (path[0] === "help" || path[0] === "version") return "";
  const read = NOTES.get(command)?.pages ?? READ_MORE[path[0] ?? ""] ?? [];
  const overview = `Pages, for momo help PAGE:\n${wrapped(`  ${PAGE_NAMES.join(" ")}`, 78).join("\n")}\n\n`;
  const documents =
    path.length === 0 ? overview : read.length > 0 ? `More: momo help ${read.join(", momo help ")}\n` : "";
  const more = path.length < 2 ? [`${documents}${LEARN_MORE}`] : []; // the help of the command above has it
  const shown = lines.length > 0 ? [["Examples:", ...lines].join("\n")] : [];
  return [...shown, ...more].map((text) => `\n${text}`).join("\n");
}

/** A longer list of choices is not shown: its description says where the names are. */
const MAX_CHOICES = 5;

/** The heading of options that only `momo help replicas` shows. */
export const SHARING = "Several servers on one PostgreSQL database:";

/** The description with the choices and the default. Choices alone need no description. */
export function described({
  description,
  argChoices,
  defaultValue,
  defaultValueDescription,
}: Option | Argument): string {
  const choices = argChoices && argChoices.length <= MAX_CHOICES ? argChoices.join(", ") : "";
  const fallback = defaultValueDescription ?? defaultValue;
  const more = [description && choices, fallback === undefined || fallback === "" ? "" : `default: ${fallback}`].filter(
    Boolean,
  );
  const first = description || choices;
  return more.length === 0 ? first : `${first} (${more.join("; ")})`;
}

/** The widest column of option names, and the narrowest one of descriptions. */
const MAX_NAMES = 27;
const MIN_DESCRIPTION = 34;

/**
 * How commander lays the help out: long names and narrow terminals have the description on the next line.
 * @param topic whether it is of the options to share a database, or of the others; null for all
 */
export const helpLayout = (topic: "replicas" | "usual" | null): Partial<Help> => ({
  minWidthToWrap: 10,
  visibleOptions: ({ options }) =>
    options.filter(
      ({ helpGroupHeading }) => topic === null || (helpGroupHeading === SHARING) === (topic === "replicas"),
    ),
  // A command's own options come first.
  groupItems: (_all, visible, groupOf) =>
    new Map([...Map.groupBy(visible, groupOf)].sort(([a], [b]) => Number(b === "Options:") - Number(a === "Options:"))),
  optionDescription: described,
  argumentDescription: described,
  formatItem(this: Help, term, termWidth, description, helper) {
    const width = this.helpWidth ?? 80;
    const column = Math.min(termWidth, MAX_NAMES) + 4;
    const indent = width - column < MIN_DESCRIPTION ? 6 : column;
    const lines = helper.boxWrap(description, width - indent).split("\n");
    const head = `  ${term}`;
    const first = head.length + 2 <= indent ? `${head.padEnd(indent)}${lines.shift()}` : head;
    return [first, ...(description === "" ? [] : lines.map((line) => " ".repeat(indent) + line))].join("\n").trimEnd();
  },
});

/** What `momo help exit-codes` prints. */
export const exitCodesText = (): string =>
  `${Object.values(EXIT_CODES)
    .map(([code, meaning]) => `${String(code).padStart(3)}  ${meaning}`)
    .join("\n")}\n`;
