import { afterEach, describe, expect, test } from "bun:test";
import { isShort, listIn } from "../../../sandbox/check/check-run.ts";
import type { CheckReport } from "../../../sandbox/check/result.ts";
import type { Exchange } from "../../../sandbox/check/service.ts";
import { answersOf, failureSchema } from "../../../src/http/answers.ts";
import type { Profile } from "../../../src/http/profile.ts";
import { openDescription, operationOf } from "../../http/description.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { onEveryEngine } from "../../support/engines.ts";
import { schemaChecker } from "../../support/openapi.ts";
import { newScene } from "../../support/scene.ts";
import { checkScene, type Deviation, fillScene, seenOf, withText } from "./checked.ts";

afterEach(cleanUp);

const failed = ({ checked }: CheckReport) =>
  checked.filter(({ verdict }) => verdict === "fails").map((one) => [one.id, seenOf(one)]);
const skipped = ({ checked }: CheckReport) => checked.filter(({ verdict }) => verdict === "skipped").map(seenOf);

onEveryEngine((engine) => {
  describe("momo holds every sentence that the specification states, and each answer matches its schema and its description", () => {
    test.each<Profile>([
      {},
      { accept: "lenient" },
      { response_form: "short" },
      { response_form: "short", accept: "lenient" },
    ])("%j", async (profile) => {
      const { scene, description } = await openDescription({ profile }, engine);
      await fillScene(scene);
      const schemas = answersOf(profile);
      const seen = new Set<string>();
      const report = await checkScene(scene, (answer, { path }) => {
        const operation = path.replace(/\?.*/, "") as keyof typeof schemas;
        if (!(operation in schemas)) return answer;
        const { status, text } = answer;
        seen.add(`${operation} ${status}`);
        const isOk = status === 200;
        const schema = isOk ? schemas[operation] : failureSchema;
        expect(schema.safeParse(JSON.parse(text)).error, text).toBeUndefined();
        const described = operationOf(description, operation).responses[status]?.content["application/json"].schema;
        const problemOf = schemaChecker(isOk ? described : description.components.schemas.Failure);
        expect(problemOf(JSON.parse(text)), text).toBeNull();
        expect(problemOf({ ...JSON.parse(text), more: 1 })).not.toBeNull();
        return answer;
      });
      expect(failed(report)).toEqual([]);
      const described = Object.keys(description.paths).flatMap((path) =>
        Object.keys(operationOf(description, path).responses).map((status) => `${path} ${status}`),
      );
      // Only a bug causes a 500, or a network that refuses the prompt.
      expect([...seen].toSorted()).toEqual(described.filter((one) => !one.endsWith("500")).toSorted());
      expect(report).toMatchObject({ stopped: null, profile });
      for (const note of report.notes)
        expect(note).toMatchObject({ kind: "pushed", checkoutRequestId: expect.stringMatching(/^"ws_CO_/) });
      // Only what the short form leaves out is not checked.
      if (profile.response_form === undefined) expect(skipped(report)).toEqual([]);
      for (const why of skipped(report))
        expect(why).toMatch(/short|with it$|show no (?:result_desc|checkout_request_id|.*status, amount)/);
      await scene.close();
    });
  });
});

test.each([
  [{ transactions: [], summary: {} }, false],
  [{ data: [], summary: {} }, false],
  [{ data: [] }, true],
  [{ transactions: [] }, false],
  [{ data: [{ id: 1 }], summary: {} }, true],
  [{ transactions: [{ id: 1, kind: "api" }] }, false],
])("the list %j has the short form: %p", (json, is) => {
  expect(isShort(listIn({ status: 200, json } as unknown as Exchange))).toBe(is);
});

test.each(["completed; after=1ms", "manual"])("payments of a busy shop, here %s, are no deviation", async (outcome) => {
  const scene = await newScene();
  await fillScene(scene);
  const headers = { "X-Sandbox-Outcome": outcome };
  const sell = async <T>(answer: T) => {
    await scene.start({}, { headers });
    await scene.advance(500);
    return answer;
  };
  for (const payment of [null, {}]) expect(failed(await checkScene(scene, sell, payment))).toEqual([]);
});

test("one request without an answer is skipped, and the second ends the check", async () => {
  const scene = await newScene();
  const hangsAt = (where: RegExp) =>
    checkScene(
      scene,
      (answer, { path }) => {
        if (where.test(path)) throw new Error("it did not come");
        return answer;
      },
      null,
    );
  const one = await hangsAt(/no-such/);
  expect([one.stopped, skipped(one)]).toEqual([
    null,
    expect.arrayContaining(["GET /no-such-operation.php got no answer: it did not come"]),
  ]);
  const two = await hangsAt(/no-such|momo_check/);
  expect(two.stopped).toEqual({
    kind: "no_answer",
    request: "GET /transactions.php?momo_check=1",
    reason: "it did not come",
  });
});

test("a slow service is no deviation: its payment may be final before the first status comes", async () => {
  const scene = await newScene();
  await fillScene(scene);
  const report = await checkScene(scene, async (answer) => {
    await scene.advance(4000);
    return answer;
  });
  expect([report.stopped, failed(report)]).toEqual([null, []]);
  expect(skipped(report)).toEqual(["its first status came too late"]);
});

test("a payment is followed for two minutes (§4.4), also one that ends after 115 s", async () => {
  const scene = await newScene({
    promptTimeoutMs: 180_000,
    fallback: { outcome: "completed", after: "115s" },
  });
  const report = await checkScene(scene, undefined, { maxPushes: 1 });
  expect(failed(report)).toEqual([]);
  expect(skipped(report)).not.toContain("the payment is still pending");
});

test.each(["completed", "wrong_pin", "cancelled", "expired"] as const)(
  "a payment that ends as %s is final",
  async (outcome) => {
    const scene = await newScene({ fallback: { outcome } });
    const report = await checkScene(scene);
    expect(report.checked.find(({ id }) => id === "pay.final")?.verdict).toBe("holds");
    expect(failed(report)).toEqual([]);
  },
);

test("a payment that stays pending is polled for two minutes, every 5 s, and only once", async () => {
  const scene = await newScene({ promptTimeoutMs: 1_000_000, fallback: { outcome: "silent" } });
  const beganMs = scene.clock.nowMs();
  const polls: unknown[] = [];
  const poll: Deviation = (answer, { path }) => {
    if (path === "/status.php" && answer.text.includes('"status":"pending"')) polls.push(answer);
    return answer;
  };
  expect(skipped(await checkScene(scene, poll))).toContain("the payment is still pending");
  expect(polls).toHaveLength(120 / 5 + 1);
  expect(scene.clock.nowMs() - beganMs).toBe(120_000);
});

test("the payment makes a new account's first transaction, with which the rest is checked", async () => {
  const scene = await newScene();
  expect(skipped(await checkScene(scene))).not.toContain("the account has no transactions");
});

test("an empty list may have one page, which is empty", async () => {
  const scene = await newScene();
  const onePage = withText((it) => it.replace('"total_pages":0', '"total_pages":1'));
  expect(failed(await checkScene(scene, onePage, null))).toEqual([]);
});

test("a payment that ends between the list and its status is no deviation", async () => {
  const scene = await newScene();
  await scene.start({}, { headers: { "X-Sandbox-Outcome": "completed; after=3m" } });
  const end: Deviation = async (answer, { path }) => {
    if (path.includes("status=completed")) await scene.advance(180_000);
    return answer;
  };
  expect(failed(await checkScene(scene, end, null))).toEqual([]);
  expect(await scene.list("?status=pending")).toEqual([]);
});

test("nothing is paid where the list is refused", async () => {
  const scene = await newScene();
  const refuse: Deviation = (answer, { path }) =>
    path === "/transactions.php" ? { ...answer, status: 403, text: '{"success":false,"message":"no"}' } : answer;
  expect(skipped(await checkScene(scene, refuse))).toContain("the list is not answered, so nothing is paid");
  expect((await scene.send({ path: "/transactions.php" })).body).toMatchObject({ pagination: { total_items: 0 } });
});

test("a payment that is not answered is not sent again", async () => {
  const scene = await newScene();
  const pushes: unknown[] = [];
  const lose: Deviation = (answer, { path, body, as }) => {
    if (path !== "/stkpush.php" || as !== "owner" || !body?.includes('"phone"')) return answer;
    pushes.push(body);
    if (body === pushes[0]) throw new Error("it did not come");
    return answer;
  };
  const { stopped } = await checkScene(scene, lose);
  expect(stopped).toBeNull();
  expect(pushes.filter((body) => body === pushes[0])).toHaveLength(1);
});

test("what only the status of a payment shows is checked as well", async () => {
  const scene = await newScene({ profile: { response_form: "short" } });
  const deviate: Deviation = (answer, { path }) =>
    path === "/status.php" ? { ...answer, text: answer.text.replace("{", '{"result_code":7,') } : answer;
  const report = await checkScene(scene, deviate);
  expect(failed(report).map(([id]) => id)).toEqual(
    expect.arrayContaining(["pending.result_code", "completed.result_code"]),
  );
  expect(report.checked.find(({ id }) => id === "status.status")?.verdict).toBe("holds");
});

test("no more pushes reach the phone than were allowed", async () => {
  const scene = await newScene();
  const pushes: unknown[] = [];
  const deviate: Deviation = (answer, { path, body, as }) => {
    if (path === "/stkpush.php" && as === "owner" && body?.includes("phone")) pushes.push(body);
    return answer;
  };
  const report = await checkScene(scene, deviate, { maxPushes: 1 });
  expect(pushes).toHaveLength(1);
  expect(skipped(report)).toContain("it needs one more push: --max-pushes");
  // A payment without a phone reaches none, so it is tried all the same.
  for (const id of ["pay.no-phone", "pay.pending", "pay.final"])
    expect(report.checked.find((one) => one.id === id)?.verdict).toBe("holds");
});

test.each(["20:59", "21:00", "21:59", "23:59"])("timestamps in UTC at %s, with the days of UTC, hold", async (time) => {
  const scene = await newScene({ profile: { timestamps: "utc" }, startMs: Date.parse(`2026-11-20T${time}:00Z`) });
  await scene.start();
  expect(failed(await checkScene(scene, undefined, null))).toEqual([]);
});

test("timestamps in UTC, with the days of Nairobi, contradict each other", async () => {
  const scene = await newScene({ startMs: Date.parse("2026-11-20T21:30:00Z") });
  await scene.start();
  const inUtc = withText((it) => it.replaceAll("2026-11-21 00:30", "2026-11-20 21:30"));
  expect(failed(await checkScene(scene, inUtc, null)).map(([id]) => id)).toContain("list.dates");
});

test("a phone that begins with + is searched as it is written", async () => {
  const scene = await newScene({ profile: { phone: "+254" } });
  await fillScene(scene);
  const paths: string[] = [];
  const note: Deviation = (answer, { path }) => {
    paths.push(path);
    return answer;
  };
  await checkScene(scene, note, null);
  expect(paths.filter((path) => path.includes("254"))).toEqual(["/transactions.php?search=%2B2547"]);
});
