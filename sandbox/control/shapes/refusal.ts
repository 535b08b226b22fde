import { z } from "zod";
import { failureSchema } from "../../../src/http/answers.ts";
import type { ReadOnly } from "./values.ts";

export const issue = z.strictObject({
  path: z
    .string()
    .describe(
      "the member or parameter, as in rules[2].match.phone; empty for all members together, body for a body without any",
    ),
  rule: z.string().describe("what must be so"),
  received: z.string().optional().describe("the value that came, in short and without secrets"),
});
export type IssueOnWire = ReadOnly<typeof issue>;

/** An answer of the control API that is not 200. */
export const refusal = failureSchema.extend({
  issues: z.array(issue).describe("what is wrong where; empty if the message names no place"),
});
