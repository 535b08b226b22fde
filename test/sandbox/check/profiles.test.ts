import { afterEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { parseProfile } from "../../../sandbox/check/profiles.ts";
import { formatCheck } from "../../../sandbox/check/report.ts";
import type { CheckReport } from "../../../sandbox/check/result.ts";
import type { Send } from "../../../sandbox/check/service.ts";
import { parseTariff } from "../../../src/domain/money.ts";
import type { Profile } from "../../../src/http/profile.ts";
import { cleanUp } from "../../support/cleanup.ts";
import { newScene, openScene } from "../../support/scene.ts";
import { checkScene, type Deviation, fillScene, seenOf, sendTo, withText } from "./checked.ts";

afterEach(cleanUp);

/** What momo observes of a server with a profile is this profile. */

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
    bad_filter: fc.oneof(fc.constantFrom("ignored" as const, "empty" as const), refusal),
    page_bounds: fc.constantFrom("refused", "clamped"),
    filter_case: fc.constantFrom("any", "lower"),
    phone: fc.constantFrom("254", "0", "+254"),
    timestamps: fc.constantFrom("nairobi", "utc"),
    fee: fc.constantFrom("2.5%", "10", "0.7%+3.5"),
    results: fc.record({ 0: result, 1: result, 1032: result }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

function answersAs(query: string, status: number): Deviation {
  const text = JSON.stringify({ success: false, message: "no" });
  return (answer, { path }) => (path.includes(query) ? { ...answer, status, text } : answer);
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
    ...(results && Object.keys(results).length > 0 && response_form === "full" && { results }),
  };
}

test("a check of momo with any profile finds this profile, and each sentence holds but for a refusal with 200", async () => {
  await fc.assert(
    fc.asyncProperty(profiles, async (profile) => {
      const scene = await openScene({ profile });
      const { registry } = scene.service;
      await registry.setTariff(scene.caller.accountId, parseTariff(profile.fee ?? "1%", "it"));
      await fillScene(scene);
      const report = await checkScene(scene);
      await scene.close();
      const refusals = [profile.bad_filter, profile.invalid_account];
      const saysSuccess = refusals.some((refused) => typeof refused === "object" && refused.status === 200);
      // Only for an unknown id the specification leaves the status open.
      const failed = report.checked.filter(({ verdict }) => verdict === "fails").map(({ id }) => id);
      expect(failed).toEqual(saysSuccess ? ["answers.success"] : []);
      expect(report.profile).toMatchObject(expectedOf(profile) as Record<string, unknown>);
      expect(parseProfile(report.profile)).toEqual(report.profile);
      // The short form shows no results.
      expect(report.notImitated).toEqual([...(profile.response_form === "short" ? ["silent.results"] : []), ...failed]);
    }),
    { numRuns: 25 },
  );
});

const turn =
  (change: (rows: object[]) => object[]): Deviation =>
  (answer) => {
    const body = JSON.parse(answer.text);
    return body.transactions
      ? { ...answer, text: JSON.stringify({ ...body, transactions: change(body.transactions) }) }
      : answer;
  };
const replaces = (text: string, other: string) => withText((it) => it.replaceAll(text, other));
const phonesFrom = (start: string) => replaces('"phone":"254', `"phone":"${start}`);
const otherTexts: Deviation = (answer, { path }) =>
  path.includes("status=cancelled")
    ? { ...answer, text: answer.text.replace('"result_desc":"', '"result_desc":"Not ') }
    : answer;
const withLink = replaces('"transaction_code"', '"payment_link_id":null,"transaction_code"');
const shortStatus: Deviation = (answer, { path }) => {
  const { success, message, status, amount, phone, transaction_code, created_at } = JSON.parse(answer.text);
  const short = { success, message, status, amount, phone, transaction_code, created_at };
  return path === "/status.php" && success ? { ...answer, text: JSON.stringify(short) } : answer;
};

const asks =
  (query: string, instead: string): Deviation =>
  (answer, request) =>
    request.path.includes(query) && request.as === "owner"
      ? send({ ...request, path: `/transactions.php${instead}` })
      : answer;
let send: Send;

/** A service is momo with this profile and a deviation: which sentences no profile imitates. */
const SERVICES: readonly [what: string, profile: Profile, deviation: Deviation | undefined, notImitated: string[]][] = [
  ["is lenient", { accept: "lenient" }, undefined, []],
  ["matches nothing, but ignores a bad day", { bad_filter: "empty" }, asks("date_from=2026-02-30", ""), ["silent.day"]],
  ["refuses capitals only", { accept: "lenient" }, answersAs("COMPLETED", 400), ["silent.case"]],
  ["ignores capitals only", {}, asks("COMPLETED", ""), ["silent.case"]],
  ["cuts the page, and refuses the limit", { page_bounds: "clamped" }, answersAs("limit=101", 400), ["silent.limit"]],
  ["has the short form only in a status", {}, shortStatus, ["silent.array"]],
  ["refuses a page past the end", {}, answersAs("page=99999999", 404), ["silent.past-end"]],
  ["refuses reversed days otherwise", {}, answersAs("date_from=2026-02-02", 422), ["silent.days"]],
  ["refuses a day that is none otherwise", {}, answersAs("date_from=2026-02-30", 422), ["silent.day"]],
  ["refuses an unknown record otherwise", {}, answersAs("id=999999999999999", 400), ["silent.no-record"]],
  ["refuses an unknown parameter", {}, answersAs("momo_check=1", 400), ["silent.parameter"]],
  ["has a negative result code", {}, replaces('"result_code":1032', '"result_code":-7'), ["silent.results"]],
  ["has two texts for a result", {}, otherTexts, ["silent.results"]],
  ["has one member more in the short form", { response_form: "short" }, withLink, ["silent.array", "silent.results"]],
  ["has its newest payment last", {}, turn((rows) => rows.toReversed()), ["silent.order"]],
  ["writes phones without a start", {}, phonesFrom(""), ["silent.phone"]],
];

test.each(SERVICES)(
  "a service that %s and momo with its profile have the same findings, but for what is listed",
  async (_what, given, deviation, notImitated) => {
    const check = async (profile: Profile, deviate?: Deviation) => {
      const scene = await newScene({ profile });
      send = sendTo(scene);
      await fillScene(scene);
      return checkScene(scene, deviate);
    };
    const service = await check(given, deviation);
    expect(service.notImitated).toEqual(notImitated);
    const imitation = await check(service.profile);
    const known = service.checked.filter(({ id, verdict }) => verdict !== "skipped" && !notImitated.includes(id));
    const findings = ({ checked }: CheckReport) =>
      checked
        .filter(({ id }) => known.some((one) => one.id === id))
        .map(({ id, verdict, fact }) => [id, verdict, fact]);
    expect(findings(imitation)).toEqual(findings(service));
  },
);

test("what an empty account cannot show is not checked, and listed as not imitated; nothing is paid unless it is asked for", async () => {
  const scene = await newScene({ profile: { accept: "lenient" } });
  const pushes: unknown[] = [];
  const note: Deviation = (answer, { path, method, body }) => {
    if (path === "/stkpush.php" && method === "POST") pushes.push(body);
    return answer;
  };
  const report = await checkScene(scene, note, null);
  expect(pushes).toEqual([]);
  expect(report.checked.filter(({ verdict }) => verdict === "fails")).toEqual([]);
  expect(report.notes).toEqual([{ kind: "empty_account" }]);
  const skipped = report.checked.filter(({ momo, verdict }) => momo !== null && verdict === "skipped");
  expect(skipped.map(({ id }) => id)).toEqual([...report.notImitated]);
  expect(report.notImitated).toEqual(expect.arrayContaining(["silent.filter", "silent.case", "silent.text"]));
  expect(formatCheck(report, "text", true)).toContain(
    "An account id as text: not checked, it needs a payment: --pay PHONE --amount 1 --account ID",
  );
});

test.each<[baseUrl: string, base_path: string | undefined]>([
  ["http://momo/a%20b", undefined],
  ["http://momo", ""],
  ["http://momo/", ""],
  ["http://momo/pay/v2/", "/pay/v2"],
])(
  "the profile of the service at %s has the base path %j, which momo serves, or names as not imitated",
  async (baseUrl, base_path) => {
    const scene = await newScene();
    const { profile, notes } = await checkScene(scene, undefined, null, baseUrl);
    expect(profile).toEqual(expect.objectContaining(base_path === undefined ? {} : { base_path }));
    expect(notes.some(({ kind }) => kind === "base_path")).toBe(base_path === undefined);
    expect(parseProfile(profile)).toEqual(profile);
  },
);

test("a long refusal and a long text of a result are cut, so that momo serves the profile", async () => {
  const scene = await newScene();
  await fillScene(scene);
  const message = "x".repeat(501);
  const lengthen: Deviation = (answer) =>
    answer.status === 404
      ? { ...answer, text: JSON.stringify({ success: false, message }) }
      : { ...answer, text: answer.text.replaceAll(/(?<="result_desc":")[^"]*/g, message) };
  const { profile } = await checkScene(scene, lengthen, null);
  expect(profile).toMatchObject({
    unknown_id: { status: 404, message: message.slice(1) },
    results: { 1032: message.slice(0, 200) },
  });
  expect(parseProfile(profile)).toEqual(profile);
});

test("a filter that is answered without a body is no refusal in the profile", async () => {
  const scene = await newScene();
  const answerNothing: Deviation = (answer, { method }) =>
    method === "GET" && answer.status === 400 ? { ...answer, status: 204, text: "" } : answer;
  const { profile } = await checkScene(scene, answerNothing, null);
  expect(profile).not.toHaveProperty("bad_filter");
});

test("what a service accepts is no refusal in the profile", async () => {
  const scene = await newScene();
  const accept: Deviation = (answer, { method }) =>
    method === "POST"
      ? { ...answer, status: 200, text: answer.text.replace('"success":false', '"success":true') }
      : answer;
  const { profile } = await checkScene(scene, accept);
  expect(profile).not.toHaveProperty("unknown_id");
  expect(profile).toMatchObject({ accept: "lenient" });
  expect(profile).not.toHaveProperty("invalid_account");
});

test("an answer 200 that says `success` false is a refusal in the profile", async () => {
  const scene = await newScene();
  await fillScene(scene);
  const { profile } = await checkScene(scene, (answer) => ({ ...answer, status: 200 }));
  expect(profile).toMatchObject({ accept: "strict", unknown_id: { status: 200 }, bad_filter: { status: 200 } });
});

let polls = 0;
const unsteady: Deviation = (answer, { path }) => {
  if (path !== "/status.php") return answer;
  return { ...answer, text: answer.text.replace('"completed"', () => (++polls % 2 ? '"completed"' : '"failed"')) };
};

test.each<[id: string, seen: RegExp, deviation: Deviation | undefined]>([
  ["silent.phone", /^254 and nine digits$/, undefined],
  ["silent.phone", /^0 and nine digits$/, phonesFrom("0")],
  ["silent.phone", /^\+254 and nine digits$/, phonesFrom("+254")],
  ["silent.phone", /^in another way/, phonesFrom("")],
  ["silent.order", /^newest first$/, undefined],
  ["silent.order", /^oldest first$/, turn((rows) => rows.toReversed())],
  ["silent.order", /^neither by id/, turn((rows) => [...rows.slice(1), ...rows.slice(0, 1)])],
  ["silent.final", /^never$/, undefined],
  ["silent.final", /^"completed" became "failed"$|^"failed" became "completed"$/, unsteady],
])("%s is %p", async (id, seen, deviation) => {
  const scene = await newScene();
  await fillScene(scene);
  const { checked } = await checkScene(scene, deviation);
  expect(checked.filter((one) => one.id === id).map(seenOf)).toEqual([expect.stringMatching(seen)]);
});

const texts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [999_900 + n, "x"]));

test("a profile's file is taken up to each bound", () => {
  const at = (length: number) => "x".repeat(length);
  const PROFILES: Profile[] = [
    ...["", "/a/b/c/d/e/f/g", "/_momos", "/..a/.b", `/${at(99)}`].map((base_path) => ({ base_path })),
    ...[200, 599].map((status) => ({ bad_filter: { status, message: at(500) } })),
    { name: at(100), source: at(1000), prompt_timeout: "1s", fee: "100%+1000000" },
    { results: { ...texts(49), 0: at(200) } },
  ];
  for (const profile of PROFILES) expect(parseProfile(profile)).toEqual(profile);
});

describe("a profile's file is refused with the place of each error", () => {
  test.each<[unknown, string]>([
    [{ array: "data" }, 'there is no member "array"; the members are name, source'],
    [{ unknown_id: { status: 99, message: "" } }, "unknown_id.status must be at least 200; it is 99"],
    [{ unknown_id: { status: 404 } }, "unknown_id.message is missing"],
    ...[204, 205, 304].map((status): [unknown, string] => [
      { bad_filter: { status, message: "no" } },
      `bad_filter.status must not be 204, 205 or 304: such an answer has no body; it is ${status}`,
    ]),
    [{ bad_filter: "no" }, "bad_filter must be"],
    [{ fee: "x" }, "fee is not a tariff"],
    [{ prompt_timeout: "10ms" }, "prompt_timeout must be 1s or more"],
    [{ results: { x: "y" } }, "results must have result codes as members, 50 at most"],
    [{ results: { 1234567: "y" } }, "results must have result codes as members, 50 at most"],
    [{ results: { 1032: "a\nb" } }, "results.1032 must be 1 to 200 characters on one line"],
    [{ results: texts(51) }, "results must have result codes as members, 50 at most"],
    ...["v2", "/_momo", "/_momo/v2", "/v2/..", "/./v2", "/v2/", "/a/b/c/d/e/f/g/h", "/v2?x"].map(
      (base_path): [unknown, string] => [{ base_path }, "base_path must be a path such as /v2"],
    ),
    [{ name: "x".repeat(101) }, "name must have at most 100 characters"],
    [[], "must be a JSON object"],
  ])("%j: %s", (content, message) => {
    expect(() => parseProfile(content)).toThrow(message);
  });
});
