import { z } from "zod";
import { counted } from "../../src/domain/counted.ts";
import { type Reply, succeed } from "../../src/http/reply.ts";
import { endingOf } from "../network/choice.ts";
import { afterOf, outcomesView } from "../network/outcomes.ts";
import { MAX_RULES } from "../network/rules.ts";
import { type Calls, type ControlContext, call } from "./context.ts";
import { added, bodyOf, itemsBody, parseItems, placeOf, placeQuery } from "./input.ts";
import * as shapes from "./shapes/steering.ts";
import { type Rule, rule } from "./shapes/steering.ts";
import { addedIds } from "./shapes/values.ts";

const ruleList = { rules: z.array(shapes.ruleInForce) };

const ruleBook = z.strictObject({ rules: z.array(rule).max(MAX_RULES) });

/** Rules for `--rules FILE`, in the forms of the control API. @throws Refusal `invalid` */
export const parseRules = (input: unknown, text: string | null): Rule[] =>
  parseItems(ruleBook, "rules", input, text).rules;

const body = itemsBody(ruleBook, "rules", [{ outcome: "cancelled", times: 1 }]);

const defaultBody = bodyOf(shapes.defaultRequest, { outcome: "completed", after: "10s" });

/** What prompts do: the outcomes, the rules with the times that are left, and the default. */
export const RULE_CALLS: Calls = {
  "/outcomes": {
    GET: call({ outcomes: z.array(shapes.outcome) }, {}, async () =>
      succeed("the outcomes by name", { outcomes: outcomesView() }),
    ),
  },
  "/rules": {
    GET: call(ruleList, {}, async ({ state }) => inForce(state)),
    POST: call(
      { ...ruleList, ...addedIds },
      { body, query: placeQuery },
      async ({ steering, state }, { body, query }) => {
        const ids = await steering.change(() => state.rules.add(body.rules, placeOf(query)));
        return inForce(state, added(ids));
      },
    ),
    PUT: call(ruleList, { body }, async ({ steering, state }, { body }) => {
      await steering.change(() => state.rules.replace(body.rules));
      return inForce(state);
    }),
    DELETE: call(ruleList, {}, async ({ steering, state }) => {
      await steering.change(() => state.rules.clear());
      return inForce(state);
    }),
  },
  "/rules/ID": {
    DELETE: call(ruleList, {}, async ({ steering, state }, { id }) => {
      await steering.change(() => state.rules.remove(id));
      return inForce(state);
    }),
  },
  "/default": {
    GET: call(shapes.defaultAnswer, {}, async ({ state }) => showDefault(state)),
    PUT: call(shapes.defaultAnswer, { body: defaultBody }, async ({ steering, state }, { body }) => {
      await steering.change(() => state.default.load(body));
      return showDefault(state);
    }),
  },
};

function inForce({ rules }: ControlContext["state"], more: object = {}): Reply {
  const list = rules.list();
  return succeed(`${counted(list.length, "rule")} in force`, { ...more, rules: list });
}

function showDefault({ default: { choice } }: ControlContext["state"]): Reply {
  // A message of its own is only in `chosen`: each answer has a message.
  const { message: _, ...members } = choice;
  const after = choice.after ?? afterOf(endingOf(choice));
  const shown: shapes.DefaultInForce = { ...members, after, chosen: choice };
  return succeed(`the default outcome is ${choice.outcome}`, shown);
}
