import { z } from "zod";
import { formatDuration } from "../../src/domain/duration.ts";
import { readNaming } from "../../src/domain/what-came.ts";
import { type Reply, succeed } from "../../src/http/reply.ts";
import { chooseAfter } from "../network/choice.ts";
import type { Default } from "../network/default.ts";
import { afterOf, parseOutcomeName } from "../network/outcomes.ts";
import type { ControlCall } from "./context.ts";
import { readBody, readWith } from "./input.ts";

const defaultSchema = z.strictObject({
  outcome: readWith(z.string(), (text) => parseOutcomeName(text, "it")),
  after: z.string().optional(),
});

/** `GET /_momo/default`: what prompts do where nothing else decides. */
export const showDefault: ControlCall = async (_request, context) => answer(context.default);

/** `PUT /_momo/default`: decides so for the prompts to come, until a reset; without `after`, in the outcome's own time. */
export const replaceDefault: ControlCall = async (request, context) => {
  const { outcome, after } = await readBody(defaultSchema, request);
  context.default.replace(
    after === undefined ? { outcome, afterMs: null } : readNaming(after, (text) => chooseAfter(outcome, text, "after")),
  );
  return answer(context.default);
};

function answer({ choice: { outcome, afterMs } }: Default): Reply {
  const after = afterMs === null ? afterOf(outcome) : formatDuration(afterMs);
  return succeed(`where nothing else decides: ${outcome}`, { outcome, after });
}
