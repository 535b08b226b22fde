import { z } from "zod";
import { formatDuration } from "../../src/domain/duration.ts";
import { readNaming } from "../../src/domain/error.ts";
import { amountRule, isAmount, parseAmount, toShillings } from "../../src/domain/money.ts";
import { parsePhone } from "../../src/domain/phone.ts";
import { MAX_REFERENCE_LENGTH } from "../../src/domain/transaction.ts";
import { type Reply, succeed } from "../../src/http/reply.ts";
import { readJson } from "../../src/http/request.ts";
import { chooseAfter } from "../network/choice.ts";
import { MAX_RULES, type Rule, type RuleBook } from "../network/rules.ts";
import type { ControlCall } from "./context.ts";
import { parsePlaced, readWith } from "./input.ts";
import type { RuleInForce } from "./shapes/steering.ts";
import { durationText, outcomeName, times } from "./shapes/values.ts";
import { counted } from "./views.ts";

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
        reference: z.string().max(MAX_REFERENCE_LENGTH).optional(),
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
        choice:
          after === undefined
            ? { outcome, afterMs: null }
            : readNaming(after, (text) => chooseAfter(outcome, text, "it")),
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

/** The possible bodies of `/rules`. */
export const rulesRequest = z.union([ruleBook, ruleInputs, ruleInput]);

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

/** `GET /_momo/rules`: the rules in force, in order, with the times that are left. */
export const listRules: ControlCall = async (_request, { rules }) => answer(rules);

export const appendRules: ControlCall = async (request, { steering, rules }) => {
  const more = parseRules(await readJson(request));
  await steering.change(() => rules.append(more));
  return answer(rules);
};

export const replaceRules: ControlCall = async (request, { steering, rules }) => {
  const next = parseRules(await readJson(request));
  await steering.change(() => rules.replace(next));
  return answer(rules);
};

export const removeRules: ControlCall = async (_request, { steering, rules }) => {
  await steering.change(() => rules.reset());
  return answer(rules);
};

function answer(rules: RuleBook): Reply {
  const list = rules.list().map(ruleView);
  return succeed(`${counted(list.length, "rule")} in force`, { rules: list });
}

function ruleView({ match, choice, times }: Rule): RuleInForce {
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
