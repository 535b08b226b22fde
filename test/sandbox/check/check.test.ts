import { describe, expect, test } from "bun:test";
import type { CheckReport } from "../../../sandbox/check/result.ts";
import type { Profile } from "../../../src/http/profile.ts";
import { checkScene, fillScene } from "../../support/checked.ts";
import { onEveryEngine } from "../../support/engines.ts";
import { openScene } from "../../support/scenario.ts";

const failed = ({ checked }: CheckReport) =>
  checked.filter(({ verdict }) => verdict === "fails").map(({ id, seen }) => [id, seen]);
const skipped = ({ checked }: CheckReport) =>
  checked.filter(({ verdict }) => verdict === "skipped").map(({ seen }) => seen);

onEveryEngine((engine) => {
  describe("momo holds every sentence that the specification states", () => {
    test.each<Profile>([
      {},
      { accept: "lenient" },
      { response_form: "short" },
      { response_form: "short", accept: "lenient" },
    ])("%j", async (profile) => {
      const scene = await openScene({ profile }, engine);
      await fillScene(scene);
      const report = await checkScene(scene);
      expect(failed(report)).toEqual([]);
      expect(report).toMatchObject({ stopped: null, notes: [], profile });
      // Only what the short form leaves out is not checked.
      if (profile.response_form === undefined) expect(skipped(report)).toEqual([]);
      for (const why of skipped(report))
        expect(why).toMatch(/short|minimal|with it$|no transaction has a result|no checkout_request_id/);
      await scene.close();
    });
  });
});

test("an account without payments is checked as far as it can be, and nothing is paid unless it is asked for", async () => {
  const scene = await openScene();
  const report = await checkScene(scene, undefined, null);
  expect(failed(report)).toEqual([]);
  expect(new Set(skipped(report))).toContain("it needs a payment: --pay PHONE --amount 1");
  expect((await scene.send({ path: "/transactions.php" })).body).toMatchObject({ pagination: { total_items: 0 } });
  await scene.close();
});

test("no more pushes reach the phone than were allowed", async () => {
  const scene = await openScene();
  const pushes: unknown[] = [];
  const deviate: Parameters<typeof checkScene>[1] = (answer, { path, body, as }) => {
    if (path === "/stkpush.php" && as === "owner" && body?.includes("phone")) pushes.push(body);
    return answer;
  };
  const report = await checkScene(scene, deviate, { maxPushes: 1 });
  expect(pushes).toHaveLength(1);
  expect(skipped(report)).toContain("it needs one more push: --max-pushes");
  await scene.close();
});
