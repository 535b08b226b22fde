import { type Check, check, holds, judge, shown, wrong } from "./facts.ts";
import { type Exchange, Skip, UNKNOWN_ID } from "./service.ts";

/** About all answers that came. @param why what is wrong with the first that does not fit; of none, the row is skipped */
const everyAnswer = (
  id: string,
  section: string,
  sentence: string,
  [none, isMeant]: readonly [none: string, isMeant: (exchange: Exchange) => boolean],
  fits: (exchange: Exchange) => boolean,
  why: (exchange: Exchange) => string,
): Check =>
  check(id, section, sentence, async ({ service }) => {
    const meant = service.exchanges.filter(isMeant);
    if (meant.length === 0) throw new Skip(none);
    const other = meant.find((exchange) => !fits(exchange));
    return other ? wrong(other, why(other)) : holds(null);
  });

export const ANSWER_CHECKS: readonly Check[] = [
  everyAnswer(
    "answers.json",
    "§1",
    "Every response is JSON with `success` (boolean) and `message` (string)",
    ["no answer came", () => true],
    ({ json }) => typeof json?.success === "boolean" && typeof json.message === "string",
    ({ json, status }) =>
      json === null
        ? `an answer with ${status} is not a JSON object`
        : `success is ${shown(json.success)}, message is ${shown(json.message)}`,
  ),
  everyAnswer(
    "answers.success",
    "§7",
    "`success` is true with 200",
    ["nothing was answered with 200", ({ status, json }) => status === 200 && json !== null],
    // Where the specification does not say what an unknown id gets, a refusal with 200 is no mistake.
    ({ json, sent }) => json?.success === true || sent.body?.includes(UNKNOWN_ID) === true,
    ({ json }) => `success is ${shown(json?.success)}`,
  ),
  everyAnswer(
    "answers.failure",
    "§7",
    "The body of an error is `{success: false, message}`",
    ["nothing was refused", ({ status }) => status >= 400],
    ({ json }) => json?.success === false && typeof json.message === "string" && Object.keys(json).length === 2,
    ({ json, status }) =>
      json === null
        ? `an error with ${status} is not a JSON object`
        : `the members are ${Object.keys(json).join(", ")}, success is ${shown(json.success)}`,
  ),
  check("version", "§9", "The version is the path segment `v2` of the base address", async ({ service }) => {
    const [first] = service.exchanges;
    if (!first) throw new Skip("no answer came");
    return judge(first, service.options.baseUrl.endsWith("/v2"), "the base address does not end with /v2");
  }),
];
