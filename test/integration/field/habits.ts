import { join } from "node:path";

/** A habit of programs that call such services, as a function of shops.mjs, and what momo reports of it. */
export interface Habit {
  readonly shop: string;
  readonly habit: string;
  /** What it prints. */
  readonly prints: string;
  /** The findings in lenient mode, with their severity. */
  readonly findings: readonly string[];
  /** What it prints, and how it ends, against the strict sandbox; absent if that is the same as against the lenient one. */
  readonly strict?: { readonly prints: string; readonly exitCode: number };
}

const REFUSED = "refused, refused, refused, refused, refused\n";
const ROWS: readonly (readonly [
  shop: string,
  habit: string,
  prints: string,
  findings: readonly string[],
  strict?: Habit["strict"],
])[] = [
  ["all right", "does all right", "completed, failed, cancelled, failed\n", []],
  [
    "account from the environment",
    "sends the payment account as text",
    "completed\n",
    ["warning number_as_text"],
    { prints: "could not start the payment\n", exitCode: 7 },
  ],
  [
    "amount from a form",
    "sends the amount as it was typed",
    "completed\n",
    ["warning number_as_text"],
    { prints: "something went wrong\n", exitCode: 7 },
  ],
  [
    "phones as they come",
    "sends phones as people write them, and null as the reference",
    "completed\n",
    ["warning lenient_input"],
    { prints: REFUSED, exitCode: 7 },
  ],
  [
    "two statuses",
    "knows completed and failed, but neither cancelled nor expired",
    "time-out, please try again\n",
    ["error ignores_final"],
  ],
  ["gives up", "gives up after 20 s", "you did not pay\n", ["error gives_up_early"]],
  [
    "first row",
    "asks the list by a parameter that it does not have, and takes the first row",
    "TABLE-1 is completed; the row is that of 254700000000\n",
    ["error takes_wrong_row"],
  ],
  [
    "credits each time",
    "credits at every answer that says completed",
    "paid 150, credited 450\n",
    ["warning polls_after_completed"],
  ],
  [
    "waits for a webhook",
    "never asks, and waits for a webhook",
    "the webhook will report the outcome: true\n",
    ["error never_polls"],
  ],
  ["webhook and polls", "listens for a webhook, and asks as well", "completed\n", []],
  [
    "invented paths",
    "calls paths that there are not",
    "404, 404, 404\n",
    ["error nothing_accepted", "error unknown_path"],
  ],
  ["two clicks", "makes a new reference at each click", "completed", ["warning charges_twice"]],
  ["lost answer", "charges again when an answer is lost", "completed", ["error charges_twice", "error never_polls"]],
  ["one reference for all", "has one reference for all customers", "completed", ["note reference_reused"]],
  ["bulk run", "has the name of a campaign as the reference", "30", ["note reference_reused"]],
  ["new try after a failure", "tries again after a failure", "failed", []],
  ["the same coffee again", "sells the same again", "enjoy", []],
  ["status by GET", "asks for the status with GET", "unknown", ["error wrong_method"]],
  ["status by transaction_id", "asks with the transaction_id", "unknown", ["warning unknown_id"]],
  ["cut id", "cuts the id", "unknown", ["warning unknown_id"]],
  ["encoded id", "encodes the id", "unknown", ["warning unknown_id"]],
  ["hidden refusal", "hides a refusal", "thank you", ["error nothing_accepted", "warning refused"]],
  ["no request", "sends no request", "payments are switched off", ["error nothing_accepted"]],
];

export const HABITS: readonly Habit[] = ROWS.map(([shop, habit, prints, findings, strict]) => ({
  ...{ shop, habit, prints, findings },
  ...(strict && { strict }),
}));

const FAST_CLOCK = join(import.meta.dir, "fast-clock.cjs");

/** Variables with which momo and its client run on a fast clock: what takes 20 s takes 2 s. */
export const FAST = { BUN_OPTIONS: `"--preload=${FAST_CLOCK}"`, NODE_OPTIONS: `--require "${FAST_CLOCK}"` };

/** The arguments of momo that run a program as it is. */
export const fieldArguments = ({ shop }: Habit, flags: readonly string[]): string[] => [
  ...["exec", "--intercept", "payflow.example", "--after", "1s"],
  ...flags,
  ...["--", "node", join(import.meta.dir, "shops.mjs"), shop],
];
