import { type Check, check, holds, shown, wrong } from "./facts.ts";
import { Skip, UNKNOWN_ID } from "./service.ts";

/** About all answers that came. */
export const ANSWER_CHECKS: readonly Check[] = [
  check(
    "answers.json",
    "§1",
    "Every response is JSON with `success` (boolean) and `message` (string)",
    async ({ exchanges }) => {
      if (exchanges.length === 0) throw new Skip("no answer came");
      const other = exchanges.find(
        ({ json }) => typeof json?.success !== "boolean" || typeof json.message !== "string",
      );
      if (!other) return holds(null);
      const { json, status } = other;
      return wrong(
        other,
        json === null
          ? `an answer with ${status} is no JSON object`
          : `success is ${shown(json.success)}, message is ${shown(json.message)}`,
      );
    },
  ),
  check("answers.success", "§7", "`success` is true with 200", async ({ exchanges }) => {
    const good = exchanges.filter(({ status, json }) => status === 200 && json !== null);
    if (good.length === 0) throw new Skip("nothing was answered with 200");
    // Where the specification does not say what an unknown id gets, a refusal with 200 is no mistake.
    const other = good.find(({ json, evidence }) => json?.success !== true && !evidence.curl.includes(UNKNOWN_ID));
    return other ? wrong(other, `success is ${shown(other.json?.success)}`) : holds(null);
  }),
  check("answers.failure", "§7", "The body of an error is `{success: false, message}`", async ({ exchanges }) => {
    const failed = exchanges.filter(({ status }) => status >= 400);
    if (failed.length === 0) throw new Skip("nothing was refused");
    const other = failed.find(
      ({ json }) => json?.success !== false || typeof json.message !== "string" || Object.keys(json).length !== 2,
    );
    if (!other) return holds(null);
    return wrong(
      other,
      other.json === null
        ? `an error with ${other.status} is no JSON object`
        : `the members are ${Object.keys(other.json).join(", ")}, success is ${shown(other.json.success)}`,
    );
  }),
  check("version", "§9", "The version is the path segment `v2` of the base address", async ({ exchanges }) => {
    const [first] = exchanges;
    if (!first) throw new Skip("no answer came");
    return /\/v2\/transactions\.php/.test(first.evidence.curl)
      ? holds(null)
      : wrong(first, "the base address does not end with /v2");
  }),
];
