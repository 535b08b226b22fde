import { z } from "zod";
import { counted } from "../../src/domain/counted.ts";
import { formatDuration } from "../../src/domain/duration.ts";
import { readNaming } from "../../src/domain/error.ts";
import { amountRule, isAmount, parseAmount, toShillings } from "../../src/domain/money.ts";
import { parsePhone } from "../../src/domain/phone.ts";
import { type Reply, succeed } from "../../src/http/reply.ts";
import { readJson } from "../../src/http/request.ts";
import { type Choice, chooseAfter, type Default } from "../network/choice.ts";
import { afterOf, type OutcomeName, outcomesView } from "../network/outcomes.ts";
import { MAX_RULES, type Rule, type RuleBook } from "../network/rules.ts";
import { type Calls, type DescribedBody, described } from "./context.ts";
import { bodyOf, parsePlaced, readWith } from "./input.ts";
import * as shapes from "./shapes/steering.ts";
import { durationText, outcomeName, reference, times } from "./shapes/values.ts";

/** An outcome with its own time, or after a duration. @throws Refusal `invalid` for an outcome that has no time */
const choiceOf = (outcome: OutcomeName, after: string | undefined, what: string): Choice =>
  after === undefined ? { outcome, afterMs: null } : readNaming(after, (text) => chooseAfter(outcome, text, what));

export const ruleInput = z
  .strictObject({
    match: z
      .strictObject({
        phone: readWith(z.string(), (text) => parsePhone(text, "it")).optional(),
        amount: z
          .number()
          .refine(isAmount, { error: ({ input }) => `it ${amountRule(input)}` })
          .transform(parseAmount)
          .optional(),
        payment_account_id: z.int().min(1).optional(),
        reference: reference.optional(),
      })
      .default({}),
    outcome: outcomeName,
    after: durationText.optional(),
    times,
  })
  .transform(({ match, outcome, after, times }, context): Rule => {
    const { amount, payment_account_id, phone, reference } = match;
    try {
      return {
        match: {
          ...(phone !== undefined && { phone }),
          ...(amount !== undefined && { amountCents: amount }),
          ...(payment_account_id !== undefined && { paymentAccountId: payment_account_id }),
          ...(reference !== undefined && { reference }),
        },
        choice: choiceOf(outcome, after, "it"),
        times: times ?? null,
      };
    } catch (error) {
      context.addIssue({ code: "custom", path: ["after"], message: (error as Error).message });
      return z.NEVER;
    }
  });
/** A rule, as a client writes it. */
export type RuleInput = z.input<typeof ruleInput>;

const ruleInputs = z.array(ruleInput).max(MAX_RULES);
const ruleBook = z.strictObject({ rules: ruleInputs });

/**
 * Rules for the control API and `--rules FILE`: one rule, an array, or `{"rules": […]}`.
 * @throws Refusal `invalid` that names the place of each error
 */
export function parseRules(input: unknown): Rule[] {
  if (typeof input === "object" && input !== null && "rules" in input) {
    return parsePlaced(ruleBook, input, "").rules;
  }
  if (Array.isArray(input)) return parsePlaced(ruleInputs, input, "rules");
  return [parsePlaced(ruleInput, input, "")];
}

const rulesBody: DescribedBody<Rule[]> = {
  schema: z.union([ruleBook, ruleInputs, ruleInput]),
  example: [{ outcome: "cancelled", times: 1 }],
  read: async (request) => parseRules(await readJson(request)),
};

const defaultBody = bodyOf(z.strictObject({ outcome: outcomeName, after: durationText.optional() }), {
  outcome: "completed",
  after: "10s",
});

/** What prompts do: the outcomes, the rules with the times that are left, and the default. */
export const RULE_CALLS: Calls = {
  "/outcomes": {
    GET: described("What each test phone does", shapes.outcomeList, {}, async () =>
      succeed("the outcomes by name", { outcomes: outcomesView() }),
    ),
  },
  "/rules": {
    GET: described("The rules in force, in order", shapes.ruleList, {}, async ({ rules }) => inForce(rules)),
    POST: described("Add rules", shapes.ruleList, { body: rulesBody }, async ({ steering, rules }, { body }) => {
      await steering.change(() => rules.append(body));
      return inForce(rules);
    }),
    PUT: described("Replace all rules", shapes.ruleList, { body: rulesBody }, async ({ steering, rules }, { body }) => {
      await steering.change(() => rules.replace(body));
      return inForce(rules);
    }),
    DELETE: described("Remove all rules", shapes.ruleList, {}, async ({ steering, rules }) => {
      await steering.change(() => rules.reset());
      return inForce(rules);
    }),
  },
  "/default": {
    GET: described("What prompts do if nothing else decides", shapes.defaultAnswer, {}, async (context) =>
      showDefault(context.default),
    ),
    PUT: described(
      "Change what prompts do if nothing else decides, until a reset",
      shapes.defaultAnswer,
      { body: defaultBody },
      async (context, { body: { outcome, after } }) => {
        const choice = choiceOf(outcome, after, "after");
        await context.steering.change(() => context.default.load(choice));
        return showDefault(context.default);
      },
    ),
  },
};

function inForce(rules: RuleBook): Reply {
  const list = rules.list().map(ruleView);
  return succeed(`${counted(list.length, "rule")} in force`, { rules: list });
}

function ruleView({ match, choice, times }: Rule): shapes.RuleInForce {
  const { phone, amountCents, paymentAccountId, reference } = match;
  return {
    match: {
      ...(phone !== undefined && { phone }),
      ...(amountCents !== undefined && { amount: toShillings(amountCents) }),
      ...(paymentAccountId !== undefined && { payment_account_id: paymentAccountId }),
      ...(reference !== undefined && { reference }),
    },
    outcome: choice.outcome,
    ...(choice.afterMs !== null && { after: formatDuration(choice.afterMs) }),
    ...(times !== null && { times }),
  };
}

function showDefault({ choice: { outcome, afterMs } }: Default): Reply {
  const after = afterMs === null ? afterOf(outcome) : formatDuration(afterMs);
  const choice: shapes.DefaultInForce = { outcome, after };
  return succeed(`the default outcome is ${outcome}`, choice);
}
