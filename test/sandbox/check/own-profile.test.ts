import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseProfile } from "../../../sandbox/check/profiles.ts";
import { PHONE_STARTS, type Profile } from "../../../src/http/profile.ts";
import { checkScene, fillScene } from "../../support/checked.ts";
import { openScene } from "../../support/scenario.ts";

/** momo with a profile is checked: the profile that comes out is the one that went in. */

const refusal = fc.record({
  // 429 and a second 5xx end a check.
  status: fc.constantFrom(200, 400, 403, 404, 409, 422),
  message: fc.stringMatching(/^[ -~]{1,60}$/).filter((text) => text.trim() !== ""),
});
const result = fc.stringMatching(/^[A-Z][a-z ]{1,20}\.$/);

const profiles: fc.Arbitrary<Profile> = fc.record(
  {
    accept: fc.constantFrom("strict", "lenient"),
    response_form: fc.constantFrom("full", "short"),
    array_name: fc.constantFrom("transactions", "data"),
    unknown_id: refusal,
    invalid_account: refusal,
    bad_filter: fc.oneof(fc.constant("ignored" as const), refusal),
    page_bounds: fc.constantFrom("refused", "clamped"),
    filter_case: fc.constantFrom("any", "lower"),
    phone: fc.constantFrom(...PHONE_STARTS),
    timestamps: fc.constantFrom("nairobi", "utc"),
    results: fc.record({ 0: result, 1: result, 1032: result }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

/** What a check can see: the array has another name only where it is not that of the form, and only the full form has results. */
function visible({ array_name, results, ...profile }: Profile): Profile {
  const isShort = profile.response_form === "short";
  const hasOtherName = array_name !== undefined && array_name !== (isShort ? "data" : "transactions");
  const hasResults = !isShort && Object.keys(results ?? {}).length > 0;
  return { ...profile, ...(hasOtherName && { array_name }), ...(hasResults && { results }) };
}

test("a check of momo with any profile finds this profile, and each sentence holds but for a refusal with 200", async () => {
  await fc.assert(
    fc.asyncProperty(profiles, async (profile) => {
      const scene = await openScene({ profile });
      await fillScene(scene);
      const report = await checkScene(scene);
      await scene.close();
      const failed = report.checked.filter(({ verdict }) => verdict === "fails").map(({ id }) => id);
      const saysSuccess = [profile.bad_filter, profile.invalid_account].some(
        (refused) => typeof refused === "object" && refused.status === 200,
      );
      // Only for an unknown id the specification leaves the status open.
      expect(failed).toEqual(saysSuccess ? ["answers.success"] : []);
      expect(report.profile).toMatchObject(visible(profile) as Record<string, unknown>);
      expect(parseProfile(report.profile)).toEqual(report.profile);
    }),
    { numRuns: 20 },
  );
});
