import { z } from "zod";
import { counted } from "../../src/domain/counted.ts";
import { parseInput } from "../../src/http/parse-input.ts";
import { type Reply, succeed } from "../../src/http/reply.ts";
import { objectIn, readJson } from "../../src/http/request.ts";
import { endingOf } from "../network/choice.ts";
import { afterOf, outcomesView } from "../network/outcomes.ts";
import { MAX_RULES } from "../network/rules.ts";
import { type Body, type Calls, type ControlContext, described } from "./context.ts";
import { bodyOf } from "./input.ts";
import * as shapes from "./shapes/steering.ts";
import { type Rule, rule } from "./shapes/steering.ts";

const ruleInputs = z.array(rule).max(MAX_RULES);
const ruleBook = z.strictObject({ rules: ruleInputs });

/**
 * Rules for the control API and `--rules FILE`: one rule, an array, or `{"rules": […]}`.
 * @param text of the input
 * @throws Refusal `invalid` that names the place of each error
 */
export function parseRules(input: unknown, text: string | null): Rule[] {
  if (Array.isArray(input)) return parseInput(ruleInputs, input, text, "rules");
  const isEmpty = Object.keys(Object(input)).length === 0;
  if (isEmpty || "rules" in Object(input)) return parseInput(ruleBook, input, text).rules;
  return [parseInput(rule, input, text)];
}

const rulesBody: Body<Rule[]> = {
  schema: z.union([ruleBook, ruleInputs, rule]),
  example: [{ outcome: "cancelled", times: 1 }],
  async read(request) {
    const { value, text } = await readJson(request);
    return parseRules(Array.isArray(value) ? value : objectIn(value), text);
  },
};

const defaultBody = bodyOf(shapes.defaultRequest, { outcome: "completed", after: "10s" });

/** What prompts do: the outcomes, the rules with the times that are left, and the default. */
export const RULE_CALLS: Calls = {
  "/outcomes": {
    GET: described("What each test phone does", shapes.outcomeList, {}, async () =>
      succeed("the outcomes by name", { outcomes: outcomesView() }),
    ),
  },
  "/rules": {
    GET: described("The rules in force, in order", shapes.ruleList, {}, async ({ state }) => inForce(state)),
    POST: described("Add rules", shapes.ruleList, { body: rulesBody }, async ({ steering, state }, { body }) => {
      await steering.change(() => state.rules.append(body));
      return inForce(state);
    }),
    PUT: described("Replace all rules", shapes.ruleList, { body: rulesBody }, async ({ steering, state }, { body }) => {
      await steering.change(() => state.rules.replace(body));
      return inForce(state);
    }),
    DELETE: described("Remove all rules", shapes.ruleList, {}, async ({ steering, state }) => {
      await steering.change(() => state.rules.reset());
      return inForce(state);
    }),
  },
  "/default": {
    GET: described("What prompts do if nothing else decides", shapes.defaultAnswer, {}, async ({ state }) =>
      showDefault(state),
    ),
    PUT: described(
      "Change what prompts do if nothing else decides, until a reset",
      shapes.defaultAnswer,
      { body: defaultBody },
      async ({ steering, state }, { body }) => {
        await steering.change(() => state.default.load(body));
        return showDefault(state);
      },
    ),
  },
};

function inForce({ rules }: ControlContext["state"]): Reply {
  const list = rules.list();
  return succeed(`${counted(list.length, "rule")} in force`, { rules: list });
}

function showDefault({ default: { choice } }: ControlContext["state"]): Reply {
  const shown: shapes.DefaultInForce = { ...choice, after: choice.after ?? afterOf(endingOf(choice)) };
  return succeed(`the default outcome is ${choice.outcome}`, shown);
}
