import { parseChoice } from "../../network/choice.ts";
import { OUTCOME_NAMES } from "../../network/outcomes.ts";
import type { Rule, RuleInForce } from "../shapes/steering.ts";
import { FIND_PAYMENT } from "./payments.ts";
import type { Area, CallCommand, Column, CommandArgument, Tool, Word } from "./row.ts";

/** What prompts do, and what customers see of them. */

const RULE_COLUMNS: readonly Column<RuleInForce>[] = [
  { name: "id", align: "right" },
  "outcome",
  { name: "matches", cell: ({ match }) => matchText(match) },
  { name: "after", cell: ({ after }) => after ?? "its own time" },
  { name: "times left", align: "right", cell: ({ times }) => String(times ?? "always") },
];

function matchText({ phone, amount, payment_account_id, reference, description }: Rule["match"]): string {
  const decimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  const parts = [
    phone,
    amount === undefined ? undefined : `KES ${amount.toLocaleString("en-US", decimals)}`,
    payment_account_id === undefined ? undefined : `account ${payment_account_id}`,
    reference === undefined ? undefined : `reference ${reference}`,
    description === undefined ? undefined : `description ${description}`,
  ].filter((part) => part !== undefined);
  return parts.join(", ") || "every prompt";
}

const RULES: Word = {
  name: "rules",
  says: "list, add and clear rules for prompts",
  prints: "the ids",
  shows: {
    list: "rules",
    quiet: "id",
    columns: RULE_COLUMNS,
    next: "momo rules add cancelled --phone 0712345678 --times 1",
  },
  page: "steering",
};

const DEFAULT: Word = {
  name: "default",
  says: "show or set what prompts do by default",
  prints: "the outcome",
  shows: {
    sentence: ({ message, after }: { readonly message: string; readonly after: string | null }) =>
      message + (after === null ? "" : `, after ${after}`),
    quiet: "outcome",
  },
  page: "steering",
};

const outcome: CommandArgument = {
  name: "outcome",
  means: 'one of momo outcomes, or "failed; code=26"',
  choices: OUTCOME_NAMES,
  value: "outcome",
};

interface RuleOptions {
  readonly phone?: string;
  readonly amount?: number;
  readonly account?: number;
  readonly reference?: string;
  readonly description?: string;
  readonly after?: string;
  readonly times?: number;
}

/** The members of an outcome and of `--after`. */
const choiceOf = (outcome: string, { after }: RuleOptions) => ({
  ...parseChoice(outcome, "OUTCOME"),
  ...(after !== undefined && { after }),
});

const addRule: CallCommand = {
  of: RULES,
  name: "add",
  says: "append a rule: what prompts do that match all of its options",
  argument: outcome,
  options: [
    { flag: "--phone <number>", means: "of this customer, or of all that start with 2547*", value: "phones" },
    { flag: "--amount <shillings>", means: "of exactly this amount", value: "amount" },
    { flag: "--account <id>", means: "of this payment account", value: "id" },
    { flag: "--reference <text>", means: "with this reference, or with this start: LONG-*", value: "reference" },
    { flag: "--description <text>", means: "with this description, or with this start", value: "description" },
    { flag: "--after <duration>", means: "how long after the start", value: "duration" },
    { flag: "--times <number>", means: "how many prompts; then the rule ends", value: "uses" },
  ],
  sends(options: RuleOptions, name) {
    const { phone, amount, account: payment_account_id, reference, description, times } = options;
    const match = { phone, amount, payment_account_id, reference, description };
    return { match, ...choiceOf(name, options), times };
  },
  quiet: ({ id }: { readonly id: number }) => id,
  examples: [
    ["momo rules add cancelled --phone 0712345678", "all of this customer"],
    ["momo rules add unreachable --after 10ms --times 1", "the next prompt"],
  ],
};

const RULES_TOOL: Tool = {
  name: "rules",
  use: "Decides how the next payments end. times: 1 is the next one only.",
  means: {
    id: "of a rule, as list shows it",
    rules: "the first that matches a payment decides how it ends",
    outcome: "how the payment ends",
    match: "which payments; left out: all",
    amount: "in KES",
  },
  destroys: true,
};

const CUSTOMER: Tool = {
  name: "customer",
  use: "Shows the prompts on phones, answers one (a PIN pays, 0000 is the wrong PIN), and shows the text messages.",
  means: {
    pin: "what the customer enters: 1234 pays, 0000 is wrong",
    outcome: "what happens instead of a PIN",
  },
};

export const PROMPT_AREAS: readonly Area[] = [
  {
    load: async () => (await import("../rules.ts")).RULE_CALLS,
    rows: {
      "/outcomes": {
        GET: { summary: "What each test phone does" },
      },
      "/rules": {
        GET: {
          summary: "The rules in force, in order",
          part: "rules",
          commands: [{ of: RULES, name: "list", says: "show the rules in force, in order" }],
          actions: [{ of: RULES_TOOL, name: "list" }],
        },
        POST: {
          summary: "Add rules",
          part: "rules",
          commands: [addRule],
          actions: [{ of: RULES_TOOL, name: "add" }],
        },
        PUT: { summary: "Replace all rules", part: "rules" },
        DELETE: {
          summary: "Remove all rules",
          part: "rules",
          commands: [{ of: RULES, name: "clear", says: "remove all rules" }],
          actions: [{ of: RULES_TOOL, name: "clear" }],
        },
      },
      "/rules/ID": {
        DELETE: {
          summary: "Remove one rule",
          part: "rules",
          commands: [
            {
              of: RULES,
              name: "remove",
              says: "remove one rule",
              argument: { name: "id", means: "as momo rules list shows it", value: "id" },
            },
          ],
          actions: [
            { of: RULES_TOOL, name: "remove", id: "id", next: { 404: "The ids are in rules with action list" } },
          ],
        },
      },
      "/default": {
        GET: {
          summary: "What prompts do if nothing else decides",
          part: "default",
          commands: [{ of: DEFAULT, name: "show", says: "show what prompts do if nothing else decides" }],
        },
        PUT: {
          summary: "Change what prompts do if nothing else decides, until a reset",
          part: "default",
          commands: [
            {
              of: DEFAULT,
              name: "set",
              says: "set what prompts do from now on, until a reset",
              argument: outcome,
              options: [
                {
                  flag: "--after <duration>",
                  means: "how long after the start (default: the outcome's own time)",
                  value: "duration",
                },
              ],
              sends: (options: RuleOptions, name) => choiceOf(name, options),
              examples: [["momo default set manual", "prompts wait for momo phone"]],
            },
          ],
        },
      },
    },
  },
  {
    load: async () => (await import("../phones.ts")).PHONE_CALLS,
    rows: {
      "/prompts": {
        GET: {
          summary: "The open prompts, oldest first",
          actions: [{ of: CUSTOMER, name: "prompts" }],
        },
      },
      "/prompts/ID/answer": {
        POST: {
          summary: "Answer a prompt as its customer or as the network",
          actions: [
            {
              of: CUSTOMER,
              name: "answer",
              id: "checkout_request_id",
              next: {
                404: FIND_PAYMENT,
                409: "How it ended is in explain_payment; start_payment with outcome manual makes one that waits for the tool customer",
              },
            },
          ],
        },
      },
      "/messages": {
        GET: {
          summary: "The last text messages to customers, newest first",
          actions: [{ of: CUSTOMER, name: "messages" }],
        },
      },
    },
  },
];
