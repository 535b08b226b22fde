import type { Command } from "commander";

/** What the help of a command has besides its options: examples, exit codes, and where to read more. */

type Example = readonly [line: string, does: string];

const WAIT: Example = ["momo status 12 --wait", "wait until payment 12 is final"];

const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  momo: [
    ["momo serve", "start the sandbox, and leave it running"],
    ["momo pay 0712345678 100 --wait", "in another terminal: make a payment"],
    ["momo exec -- npm test", "or run tests with a private sandbox"],
  ],
  serve: [
    ["momo serve", "serve on 127.0.0.1:2547, and keep the data"],
    ["momo serve --ephemeral --port 0 --json", "for a script: any free port, nothing kept"],
    ["momo serve --host 0.0.0.0 --log requests", "for others in your network, with each request"],
  ],
  exec: [
    ["momo exec -- npm test", "run a test suite with a private sandbox"],
    ["momo exec --outcome cancelled -- ./checkout.sh", "where every customer cancels"],
    ["momo exec --audit -- npm test", "fail where the client makes a costly mistake"],
  ],
  open: [
    ["momo open", "open the console of the running server"],
    ["momo open --print", "print its address only"],
  ],
  tail: [
    ["momo tail", "follow the payments as they start and end"],
    ["momo tail --format json | jq .status", "one JSON object a line"],
  ],
  pay: [
    ["momo pay 0712345678 100 --wait", "ask for KES 100, and wait for the outcome"],
    ["momo pay 254700000032 100 --wait", "a test phone whose customer cancels"],
    ["momo pay 0712345678 100 --outcome 'wrong_pin; after=10s'", "choose the outcome"],
  ],
  status: [
    ["momo status 12", "show payment 12"],
    WAIT,
    ["momo list -q | xargs -n1 momo status", "show each of the newest ones"],
  ],
  list: [
    ["momo list --status failed", "the failed ones, with their reasons"],
    ["momo list --from 2026-11-01 --search 0712", "from a day on, of phones with this prefix"],
    ["momo list --format tsv | cut -f 1,4", "numbers and statuses, for a script"],
  ],
  phone: [
    ["momo phone 0712345678", "be the customer of one phone"],
    ["momo phone", "of every phone"],
  ],
  answer: [
    ["momo answer 12 --pin 1234", "the customer of payment 12 pays"],
    ["momo answer 12 --outcome cancelled", "or cancels"],
  ],
  outcomes: [
    ["momo outcomes", "the names, codes and test phones"],
    ["momo outcomes -q", "the names only"],
  ],
  rules: [
    ["momo rules add cancelled --phone 0712345678 --times 1", "the next prompt is cancelled"],
    ["momo rules list", "what is in force"],
  ],
  "rules list": [["momo rules list", "the rules in order, with the times that are left"]],
  "rules add": [
    ["momo rules add cancelled --phone 0712345678", "every prompt of this customer"],
    ["momo rules add unreachable --after 10ms --times 1", "the next prompt of any customer"],
  ],
  "rules clear": [["momo rules clear", "test phones and the default decide again"]],
  default: [
    ["momo default set manual", "prompts wait for momo phone"],
    ["momo default show", "what is in force"],
  ],
  "default show": [["momo default show", "what prompts do if nothing else decides"]],
  "default set": [
    ["momo default set manual", "prompts wait for momo phone"],
    ["momo default set completed --after 1s", "customers are quick"],
  ],
  faults: [
    ["momo faults add error --path /status.php --status 503 --times 2", "two bad polls"],
    ["momo faults clear", "no more failures"],
  ],
  "faults list": [["momo faults list", "the faults in force, with the times that are left"]],
  "faults add": [
    ["momo faults add error --path /status.php --status 503 --times 2", "two bad polls"],
    ["momo faults add disconnect --path /stkpush.php --times 1", "one answer is lost"],
    ["momo faults add delay --delay 5s --probability 0.2", "one request in five is slow"],
  ],
  "faults clear": [["momo faults clear", "remove all faults"]],
  clock: [
    ["momo clock freeze", "stop the time"],
    ["momo clock advance 90s", "let all prompts expire"],
    ["momo clock resume", "time goes on"],
  ],
  "clock show": [["momo clock show", "what time it is for the sandbox"]],
  "clock freeze": [["momo clock freeze", "nothing falls due until the clock moves"]],
  "clock advance": [["momo clock advance 90s", "what falls due is resolved at once"]],
  "clock resume": [["momo clock resume", "time passes again"]],
  audit: [
    ["momo audit", "what clients did wrong, and the right code"],
    ["momo audit --format junit --output audit.xml", "for a CI server"],
  ],
  webhooks: [
    ["momo webhooks list", "what was sent, and the answers"],
    ["momo webhooks resend 3", "send one again"],
  ],
  "webhooks list": [["momo webhooks list", "what was sent, and the answers"]],
  "webhooks resend": [["momo webhooks resend 3", "send delivery 3 again"]],
  snapshot: [
    ["momo snapshot save checkout", "save the whole state"],
    ["momo snapshot restore checkout", "and restore it"],
  ],
  "snapshot save": [["momo snapshot save checkout", "save the whole state"]],
  "snapshot restore": [["momo snapshot restore checkout", "restore everything, the clock too"]],
  "snapshot list": [["momo snapshot list", "the saved states"]],
  "snapshot delete": [["momo snapshot delete checkout", "remove it"]],
  reset: [
    ["momo reset", "remove all payments and settings; asks at a terminal"],
    ["momo reset --yes", "without asking"],
  ],
  merchants: [
    ["momo merchants create --name 'Corner Shop'", "register one"],
    ["momo merchants list", "show all"],
  ],
  "merchants create": [["momo merchants create --name 'Corner Shop'", "register one"]],
  "merchants list": [["momo merchants list", "show all"]],
  accounts: [
    ["momo accounts create --name Till --fee 1.5%+10", "open one with a tariff"],
    ["momo accounts list --merchant 2", "show those of merchant 2"],
  ],
  "accounts create": [
    ["momo accounts create --name Till", "for the first merchant"],
    ["momo accounts create --name Till --merchant 2 --fee 1.5%+10", "with a tariff"],
  ],
  "accounts list": [["momo accounts list --merchant 2", "show those of merchant 2"]],
  keys: [
    ["momo keys create --label staging", "make one; its secret is shown once"],
    ["momo keys list", "show those in force"],
  ],
  "keys create": [
    ["momo keys create --label staging", "make one; its secret is shown once"],
    ["momo keys create --merchant 2 --json", "for a script"],
  ],
  "keys list": [["momo keys list", "show those in force"]],
  "keys revoke": [["momo keys revoke mk_…", "the service refuses it from now on"]],
  export: [
    ["momo export momo.backup", "a complete copy, while the server runs"],
    ["momo export - | gzip > momo.gz", "through a pipe"],
  ],
  import: [
    ["momo import momo.backup --data /tmp/copy", "into a separate folder"],
    ["momo import momo.backup --replace", "replace the existing data"],
  ],
  migrate: [["momo migrate --database postgres://momo@db.example/momo", "before servers of this version start"]],
  doctor: [
    ["momo doctor", "why momo pay fails, and how to fix it"],
    ["momo doctor --json", "for a script: exit code 1 if there is a problem"],
  ],
  health: [["momo health || echo down", "for the probe of a container"]],
  env: [
    ['eval "$(momo env)"', "MOMO_* in this shell"],
    ["momo env --format dotenv > .env", "for a program that reads .env"],
    ["momo env --format powershell | Invoke-Expression", "in PowerShell"],
  ],
  completion: [
    ["source <(momo completion bash)", "in ~/.bashrc"],
    ["source <(momo completion zsh)", "in ~/.zshrc, after compinit"],
    ["momo completion fish | source", "in ~/.config/fish/config.fish"],
  ],
};

const EXITS = {
  0: "done",
  1: "unexpected error",
  2: "wrong command line",
  3: "not found",
  4: "credentials refused",
  5: "request refused",
  6: "server cannot be reached, or its answer was lost",
  7: "the audited client made mistakes",
  10: "failed",
  11: "cancelled",
  12: "expired",
  13: "still pending at the time-out",
  126: "the command may not be run",
  127: "the command was not found",
  130: "interrupted with Ctrl+C",
} as const;

type Exit = keyof typeof EXITS;

const LOCAL: readonly Exit[] = [0, 1, 2];
const ASKS: readonly Exit[] = [...LOCAL, 4, 5, 6];
const FINDS: readonly Exit[] = [...LOCAL, 3, 4, 5, 6];
const WAITS: readonly Exit[] = [...FINDS, 10, 11, 12, 13, 130];

const EXITS_OF: Readonly<Record<string, readonly Exit[]>> = {
  momo: Object.keys(EXITS).map((code) => Number(code) as Exit),
  pay: WAITS,
  status: WAITS,
  list: FINDS,
  answer: FINDS,
  exec: [...LOCAL, 7, 126, 127],
  audit: [...ASKS, 7],
  phone: ASKS,
  open: ASKS,
  tail: ASKS,
  env: ASKS,
  clock: ASKS,
  rules: ASKS,
  faults: ASKS,
  default: ASKS,
  reset: ASKS,
  webhooks: FINDS,
  snapshot: FINDS,
  merchants: [...LOCAL, 3],
  accounts: [...LOCAL, 3],
  keys: [...LOCAL, 3],
  health: [0, 2, 6],
  export: [...LOCAL, 3],
  import: [...LOCAL, 3],
};

/** Adds examples, exit codes and links to the help of the program and each command. */
export function addHelp(program: Command): void {
  const visit = (command: Command, path: readonly string[]) => {
    command.addHelpText("after", () => restOf(path));
    for (const child of command.commands) visit(child, [...path, child.name()]);
  };
  visit(program, []);
}

function restOf(path: readonly string[]): string {
  const name = path.join(" ") || "momo";
  const examples = (EXAMPLES[name] ?? []).flatMap(([line, does]) => [`  $ ${line}`, `      ${does}`]);
  const exits = (EXITS_OF[path[0] ?? "momo"] ?? LOCAL).map((code) => `  ${String(code).padEnd(4)} ${EXITS[code]}`);
  return [
    "",
    ...(examples.length > 0 ? ["Examples:", ...examples, ""] : []),
    ...(path[0] === "help" || path[0] === "version" ? [] : ["Exit codes:", ...exits, ""]),
    "Learn more:",
    `  ${path.length === 0 ? "Run momo help COMMAND for one command." : "Run momo help for all commands."}`,
    "  Read docs/cli.md; a running server has GET /openapi.json.",
  ].join("\n");
}
