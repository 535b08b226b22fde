import { join } from "node:path";

/** A habit of programs that call such services, as a small separate program, and what momo reports of it. */
export interface Habit {
  /** In test/integration/field/clients. */
  readonly file: string;
  /** Its argument. */
  readonly shop?: string;
  readonly habit: string;
  /** What it prints, and how it ends, against the strict sandbox; absent if that is the same as against the lenient one. */
  readonly strict?: { readonly prints: string; readonly exitCode: number };
  readonly prints: string;
  /** The findings in lenient mode, with their severity. */
  readonly findings: readonly string[];
}

export const HABITS: readonly Habit[] = [
  {
    file: "correct.mjs",
    habit: "does all right",
    prints: "254700000032 cancelled\n",
    findings: [],
  },
  {
    file: "account-from-environment.mjs",
    habit: "sends the payment account as text",
    strict: { prints: "500 could not start the payment\n", exitCode: 1 },
    prints: "order is completed\n",
    findings: ["warning number_as_text"],
  },
  {
    file: "amount-from-form.mjs",
    habit: "sends the amount as it was typed",
    strict: { prints: "something went wrong\n", exitCode: 7 },
    prints: "thank you: completed\n",
    findings: ["warning number_as_text"],
  },
  {
    file: "phones-as-they-come.mjs",
    habit: "sends phones as people write them, and null as the reference",
    strict: { prints: "712345678 refused\n", exitCode: 7 },
    prints: "0712-345-682 prompted\n",
    findings: ["warning lenient_input"],
  },
  {
    file: "knows-two-statuses.mjs",
    habit: "knows completed and failed, but neither cancelled nor expired",
    prints: "time-out, please try again\n",
    findings: ["error ignores_final"],
  },
  {
    file: "gives-up.mjs",
    habit: "gives up after 20 s",
    prints: "you did not pay\n",
    findings: ["error gives_up_early"],
  },
  {
    file: "takes-first-row.mjs",
    habit: "asks the list by a parameter that it does not have, and takes the first row",
    prints: "TABLE-1 is completed; the row is that of 254700000000\n",
    findings: ["error takes_wrong_row"],
  },
  {
    file: "credits-each-time.mjs",
    habit: "credits at every answer that says completed",
    prints: "paid 500, credited 1500\n",
    findings: ["warning polls_after_completed"],
  },
  {
    file: "waits-for-webhook.mjs",
    habit: "never asks, and waits for a webhook",
    prints: "the webhook will report the outcome of TICKET-5\n",
    findings: ["error never_polls"],
  },
  {
    file: "webhook-and-polls.mjs",
    habit: "listens for a webhook, and asks as well",
    prints: "SHOE-8 is completed\n",
    findings: [],
  },
  {
    file: "invented-paths.mjs",
    habit: "calls paths that there are not",
    prints: "stkpush 404\n",
    findings: ["error nothing_accepted", "error unknown_path"],
  },
  ...(
    [
      ["two clicks", "makes a new reference at each click", "completed", ["warning charges_twice"]],
      [
        "lost answer",
        "charges again when an answer is lost",
        "completed",
        ["error charges_twice", "error never_polls"],
      ],
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
    ] as const
  ).map(([shop, habit, prints, findings]) => ({ file: "shops.mjs", shop, habit, prints, findings })),
];

const FAST_CLOCK = join(import.meta.dir, "fast-clock.cjs");

/** Variables with which momo and its client run on a fast clock: what takes 20 s takes 2 s. */
export const FAST = { BUN_OPTIONS: `"--preload=${FAST_CLOCK}"`, NODE_OPTIONS: `--require "${FAST_CLOCK}"` };

/** The arguments of momo that run a program as it is. */
export const fieldArguments = ({ file, shop }: Habit, flags: readonly string[]): string[] => [
  ...["exec", "--intercept", "payflow.example", "--after", "1s"],
  ...flags,
  ...["--", "node", join(import.meta.dir, "clients", file), ...(shop ? [shop] : [])],
];
