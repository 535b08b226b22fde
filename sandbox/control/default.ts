import { z } from "zod";
import { formatDuration } from "../../src/domain/duration.ts";
import { readNaming } from "../../src/domain/error.ts";
import { type Reply, succeed } from "../../src/http/reply.ts";
import { chooseAfter, type Default } from "../network/choice.ts";
import { afterOf, outcomesView } from "../network/outcomes.ts";
import type { ControlCall } from "./context.ts";
import { readBody } from "./input.ts";
import type { DefaultInForce } from "./shapes/steering.ts";
import { durationText, outcomeName } from "./shapes/values.ts";

export const showDefault: ControlCall = async (_request, context) => answer(context.default);

export const defaultRequest = z.strictObject({ outcome: outcomeName, after: durationText.optional() });

/**
 * `PUT /_momo/default`: changes the default for new prompts, until a reset. Without `after`, the outcome has its own time.
 */
export const replaceDefault: ControlCall = async (request, context) => {
  const { outcome, after } = await readBody(defaultRequest, request);
  const choice =
    after === undefined ? { outcome, afterMs: null } : readNaming(after, (text) => chooseAfter(outcome, text, "after"));
  await context.steering.change(() => context.default.load(choice));
  return answer(context.default);
};

function answer({ choice: { outcome, afterMs } }: Default): Reply {
  const after = afterMs === null ? afterOf(outcome) : formatDuration(afterMs);
  const inForce: DefaultInForce = { outcome, after };
  return succeed(`the default outcome is ${outcome}`, inForce);
}

export const outcomes: ControlCall = async () => succeed("the outcomes by name", { outcomes: outcomesView() });
