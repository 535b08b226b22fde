import { describe, expect, test } from "bun:test";
import { describeScenarios, openScene, type Scenario, withRawMember } from "../support/scenario.ts";
import { forAllTests } from "../support/use.ts";

const LIMITS = { reference: 100, description: 182 } as const;

/** Texts that fit into any limit, as JSON writes them. */
const GOOD = ['""', '"%_\\""', '"a\\u0000b"', '"\\ud83d\\ude00"'];

const BAD = ["null", "1", "[]"];

/** Half an emoji. */
const LONE_SURROGATES = ['"\\ud83d"', '"\\ude00"', '"a\\ud83db"', '"\\ude00\\ud83d"'];

for (const [member, max] of Object.entries(LIMITS)) {
  describe(`${member}: a string of at most ${max} characters`, () => {
    const scene = forAllTests(openScene);

    for (const json of [...GOOD, `"${"a".repeat(max)}"`, `"${"😀".repeat(max)}"`, `"${"\\u0000".repeat(max)}"`]) {
      test(`${json.slice(0, 30)} (${[...JSON.parse(json)].length} characters) is taken`, async () => {
        const { transaction_id } = await scene.start({}, withRawMember(scene, member, json));
        const stored = await scene.harness.service.listTransactions(
          scene.caller.merchantId,
          { id: transaction_id },
          { number: 1, limit: 1 },
        );
        expect(stored.rows[0]).toMatchObject({ [member]: JSON.parse(json) });
      });
    }

    test("may be left out", async () => {
      await scene.start();
    });
  });

  const tooLong = [`"${"a".repeat(max + 1)}"`, `"${"😀".repeat(max + 1)}"`, `"${"é".repeat(10_000)}"`];
  describeScenarios(`${member}: anything else 400`, [
    ...[...BAD, ...tooLong].map(
      (json): Scenario => ({
        name: `${json.slice(0, 30)} (${json.length} in JSON)`,
        request: (scene) => withRawMember(scene, member, json),
        status: 400,
        contains: { message: `${member} must be a string of at most ${max} characters` },
        lacks: ["amount", "phone"],
      }),
    ),
    ...LONE_SURROGATES.map(
      (json): Scenario => ({
        name: `${json}: half an emoji, and what is wrong with it`,
        request: (scene) => withRawMember(scene, member, json),
        status: 400,
        contains: { message: `${member} must be a string of whole characters: half of a surrogate pair is none` },
        lacks: ["at most"],
      }),
    ),
  ]);
}
