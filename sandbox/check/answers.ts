import { type Check, ok, okIf, received, shapeCheck, violated } from "./check-run.ts";
import type { Fact } from "./fact.ts";
import { type Exchange, Skip, UNKNOWN_ID } from "./service.ts";

/** Of an answer, in a fact. */
const MOST_NAMES = 20;

interface AboutAnswers {
  readonly id: string;
  readonly section: string;
  readonly sentence: string;
  /** Which answers it is about. */
  readonly answers: "any" | "200" | "errors";
  readonly isMeant: (exchange: Exchange) => boolean;
  readonly fits: (exchange: Exchange) => boolean;
  /** What is wrong with the first that does not fit. */
  readonly violation: (exchange: Exchange) => Fact;
}

/** About all answers that came. */
const everyAnswer = ({ id, section, sentence, answers, isMeant, fits, violation }: AboutAnswers): Check =>
  shapeCheck(id, section, sentence, async ({ service }) => {
    const meant = service.exchanges.filter(isMeant);
    if (meant.length === 0) throw new Skip({ kind: "no_such_answer", answers });
    const other = meant.find((exchange) => !fits(exchange));
    return other ? violated(other, violation(other)) : ok(null);
  });

export const ANSWER_CHECKS: readonly Check[] = [
  everyAnswer({
    id: "answers.json",
    section: "§1",
    sentence: "Every response is JSON with `success` (boolean) and `message` (string)",
    answers: "any",
    isMeant: () => true,
    fits: ({ json }) => typeof json?.success === "boolean" && typeof json.message === "string",
    violation: ({ json, status }) =>
      json === null
        ? { kind: "no_object", status }
        : { kind: "envelope", success: received(json.success), message: received(json.message) },
  }),
  everyAnswer({
    id: "answers.success",
    section: "§7",
    sentence: "`success` is true with 200",
    answers: "200",
    isMeant: ({ status, json }) => status === 200 && json !== null,
    // Where the specification does not say what an unknown id gets, a refusal with 200 is no mistake.
    fits: ({ json, sent }) => json?.success === true || sent.body?.includes(UNKNOWN_ID) === true,
    violation: ({ json }) => ({ kind: "member", name: "success", received: received(json?.success) }),
  }),
  everyAnswer({
    id: "answers.failure",
    section: "§7",
    sentence: "The body of an error is `{success: false, message}`",
    answers: "errors",
    isMeant: ({ status }) => status >= 400,
    fits: ({ json }) => json?.success === false && typeof json.message === "string" && Object.keys(json).length === 2,
    violation: ({ json, status }) =>
      json === null
        ? { kind: "no_object", status }
        : { kind: "failure_members", names: Object.keys(json).slice(0, MOST_NAMES), success: received(json.success) },
  }),
  shapeCheck("version", "§9", "The version is the path segment `v2` of the base address", async ({ service }) => {
    const [first] = service.exchanges;
    if (!first) throw new Skip({ kind: "no_such_answer", answers: "any" });
    return okIf(service.options.baseUrl.endsWith("/v2"), first, { kind: "base_address" });
  }),
];
