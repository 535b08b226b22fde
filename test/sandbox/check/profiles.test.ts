import { describe, expect, test } from "bun:test";
import { PROFILES, parseProfile } from "../../../sandbox/check/profiles.ts";
import { parseTariff } from "../../../src/domain/money.ts";
import type { Profile } from "../../../src/http/profile.ts";
import { checkScene, fillScene } from "../../support/checked.ts";
import { type Draw, drawFrom } from "../../support/random.ts";
import { openScene } from "../../support/scenario.ts";

/** What momo observes of a server with a profile is this profile. */

const CASES = 40;

function drawProfile(draw: Draw): Profile {
  const maybe = <T>(values: readonly T[]): T | undefined => values[draw(values.length + 1)];
  const refusal = () => ({ status: 400 + draw(29), message: `message ${draw(1000)}` });
  const codes = ["1", "1032", "1019", "2001"].filter(() => draw(2) === 0);
  const profile: Profile = {
    accept: maybe(["strict", "lenient"]),
    response_form: maybe(["full", "short"]),
    array_name: maybe(["transactions", "data"]),
    unknown_id: maybe([refusal(), { status: 200, message: "nothing" }]),
    invalid_account: maybe([refusal()]),
    bad_filter: maybe(["ignored", refusal()]),
    page_bounds: maybe(["refused", "clamped"]),
    filter_case: maybe(["any", "lower"]),
    phone: maybe(["254", "0", "+254"]),
    timestamps: maybe(["nairobi", "utc"]),
    fee: maybe(["2.5%", "10", `${draw(100) / 10 + 0.1}%+${draw(50) + 1}`]),
    results: codes.length > 0 ? Object.fromEntries(codes.map((code) => [code, `text ${draw(1000)}`])) : undefined,
  };
  return JSON.parse(JSON.stringify(profile)); // without absent members
}

/** What a server with the profile does, in the members that a check can see. */
function expectedOf(given: Profile): Profile {
  const { accept = "strict", response_form = "full", results, array_name, ...others } = given;
  const isLenient = accept === "lenient";
  const own = response_form === "full" ? "transactions" : "data";
  return {
    ...{ base_path: "/v2", accept, response_form, phone: "254", timestamps: "nairobi", fee: "1%", filter_case: "any" },
    ...{ page_bounds: isLenient ? "clamped" : "refused", ...(isLenient && { bad_filter: "ignored" }) },
    ...others,
    ...(array_name !== undefined && array_name !== own && { array_name }),
    // The short form shows no texts of results.
    ...(results && response_form === "full" && { results }),
  };
}

test(`${CASES} drawn profiles: a check finds no difference`, async () => {
  for (let seed = 1; seed <= CASES; seed += 1) {
    const profile = drawProfile(drawFrom(seed));
    expect(parseProfile(profile)).toEqual(profile);
    const scene = await openScene({ profile });
    const { registry } = scene.harness.service;
    await registry.setTariff(scene.caller.accountId, parseTariff(profile.fee ?? "1%", "it"));
    await fillScene(scene);
    const report = await checkScene(scene);
    const failed = report.checked.filter(({ verdict }) => verdict === "fails").map(({ id }) => id);
    const expected = expectedOf(profile);
    expect({ seed, failed, observed: report.profile }).toMatchObject({ seed, failed: [], observed: expected });
    // momo's own texts are no part of a profile that was given.
    const more = Object.keys(report.profile).filter((member) => !(member in expected));
    expect(more.filter((member) => !["unknown_id", "invalid_account", "bad_filter"].includes(member))).toEqual([]);
    await scene.close();
  }
});

test.each([...PROFILES])("the profile %s comes with momo, and says how it is known", async (name, profile) => {
  expect(parseProfile(profile)).toEqual(profile);
  expect(profile).toMatchObject({ name, source: expect.stringContaining("Not measured") });
});

describe("a profile's file is refused with the place of each error", () => {
  test.each<[unknown, string]>([
    [{ array: "data" }, 'there is no member "array"; the members are name, source'],
    [{ unknown_id: { status: 99, message: "" } }, "unknown_id.status: must be at least 200; it is 99"],
    [{ unknown_id: { status: 404 } }, "unknown_id.message: is missing"],
    [{ bad_filter: "no" }, "bad_filter: must be"],
    [{ fee: "x" }, "fee: it is not a tariff"],
    [{ prompt_timeout: "10ms" }, "prompt_timeout: must be 1s or more"],
    [{ results: { x: "y" } }, "results: must have result codes as members, 50 at most"],
    [{ base_path: "v2" }, "base_path: must be a path such as /v2"],
    [{ name: "x".repeat(101) }, "name: must have at most 100 characters"],
    [[], "must be a JSON object"],
  ])("%j: %s", (content, message) => {
    expect(() => parseProfile(content)).toThrow(message);
  });
});
