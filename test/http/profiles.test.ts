import { describe, expect, test } from "bun:test";
import { parseProfile } from "../../sandbox/check/profiles.ts";
import { type Profile, profileSchema } from "../../src/http/profile.ts";
import { schemaChecker } from "../support/openapi.ts";
import { openScene, type RequestSpec, type Scene } from "../support/scene.ts";
import { openDescription, operationOf } from "./description.ts";

/** momo with a profile does what the profile says, and nothing else differently. */

const NO = { status: 422, message: "no such thing" };
const post = (path: string, json: object): RequestSpec => ({ path, json });
const list = (query: string): RequestSpec => ({ path: `/transactions.php?${query}` });
const unknownId = post("/status.php", { checkout_request_id: "ws_CO_1_UNKNOWN" });
const pay = { payment_account_id: 1, phone: "254712345678", amount: 100 };

const [TAKEN, REFUSED, UNKNOWN] = [{ status: 200 }, { status: 400 }, { status: 404 }];
const OWN = { status: 422, body: { success: false, message: "no such thing" } };
const listed = (body: object) => ({ status: 200, body });
const NOTHING = listed({ message: "0 transactions", transactions: [], filters_applied: {} });
const CUT = listed({ pagination: { current_page: 1, per_page: 100 } });

/** With the answer with the profile, and without it. */
type Row = [profile: Profile, request: RequestSpec, own: object, plain: object];

const ROWS: Row[] = [
  [{ unknown_id: NO }, unknownId, OWN, UNKNOWN],
  [{ unknown_id: { status: 200, message: "?" } }, unknownId, TAKEN, UNKNOWN],
  [{ unknown_id: NO }, list("id=99"), UNKNOWN, UNKNOWN],
  [{ unknown_id: NO }, post("/status.php", {}), REFUSED, REFUSED],
  [{ invalid_account: NO }, post("/stkpush.php", { ...pay, payment_account_id: 99 }), OWN, REFUSED],
  [{ invalid_account: NO }, post("/stkpush.php", { ...pay, amount: 0 }), REFUSED, REFUSED],
  [{ bad_filter: NO }, list("status=nothing"), OWN, REFUSED],
  [{ bad_filter: NO }, list("id=99"), UNKNOWN, UNKNOWN],
  ...["status=nothing", "type=no", "date_from=1", "id=x", "search="].map(
    (query): Row => [{ bad_filter: "ignored" }, list(query), listed({ filters_applied: {} }), REFUSED],
  ),
  ...["status=nothing", "type=no&status=", "date_from=1", "id=x"].map(
    (query): Row => [{ bad_filter: "empty" }, list(query), NOTHING, REFUSED],
  ),
  [{ bad_filter: "empty" }, list("page=0"), REFUSED, REFUSED],
  [{ bad_filter: "ignored" }, list("page=0"), REFUSED, REFUSED],
  [{ page_bounds: "clamped" }, list("page=0&limit=500"), CUT, REFUSED],
  [{ page_bounds: "clamped" }, list("type=no"), REFUSED, REFUSED],
  [{ accept: "lenient", page_bounds: "refused", bad_filter: NO }, list("limit=500"), OWN, REFUSED],
  [{ accept: "lenient", bad_filter: NO }, list("status=nothing"), OWN, REFUSED],
  [{ filter_case: "lower" }, list("type=API"), REFUSED, TAKEN],
  [{ filter_case: "lower", bad_filter: NO }, list("status=FAILED"), OWN, TAKEN],
  [{ filter_case: "lower" }, list("type=api"), TAKEN, TAKEN],
  [
    { filter_case: "lower", accept: "lenient" },
    list("status=Completed"),
    listed({ filters_applied: {} }),
    listed({ filters_applied: { status: "completed" } }),
  ],
];

test.each(ROWS)("%j: %j", async (profile, request, own, plain) => {
  for (const [used, expected] of [[profile, own] as const, [{}, plain] as const]) {
    const scene = await openScene({ profile: used });
    const { status, body } = await scene.send(request);
    expect({ status, body }).toMatchObject(expected);
    const applied = (expected as { body?: { filters_applied?: object } }).body?.filters_applied;
    if (applied) expect(body.filters_applied).toEqual(applied);
    await scene.close();
  }
});

describe("what answers look like", () => {
  /** The status and the list's row of a payment that ended at 2026-01-01 00:30:03 in Nairobi. */
  async function answersWith(profile: Profile, outcome = "cancelled") {
    const scene: Scene = await openScene({ profile, startMs: Date.UTC(2025, 11, 31, 21, 30) });
    const headers = { "X-Sandbox-Outcome": outcome };
    const { checkout_request_id } = await scene.start({ phone: "254712345678" }, { headers });
    await scene.advance(5000);
    const { body: status } = await scene.send(post("/status.php", { checkout_request_id }));
    const { body: list } = await scene.send({ path: "/transactions.php?search=254712345678" });
    await scene.close();
    return { status, list };
  }

  test.each<[Profile, object]>([
    [{}, { phone: "254712345678", created_at: "2026-01-01 00:30:00", result_desc: "Request cancelled by user." }],
    [{ phone: "0" }, { phone: "0712345678" }],
    [{ phone: "+254" }, { phone: "+254712345678" }],
    [{ results: { 1032: "The customer said no" } }, { result_desc: "The customer said no" }],
    [{ results: { 1: "Poor" } }, { result_desc: "Request cancelled by user." }],
  ])("%j", async (profile, members) => {
    const { status, list } = await answersWith(profile);
    expect(status).toMatchObject(members);
    expect(list).toMatchObject({ transactions: [members] });
  });

  test("timestamps in UTC: completed_at, too", async () => {
    const { status, list } = await answersWith({ timestamps: "utc" }, "completed");
    for (const members of [status, (list.transactions as object[])[0]])
      expect(members).toMatchObject({ created_at: "2025-12-31 21:30:00", completed_at: "2025-12-31 21:30:03" });
  });

  test.each(["nairobi", "utc"] as const)("the days of the list are those of its timestamps: %s", async (timestamps) => {
    const scene: Scene = await openScene({ profile: { timestamps }, startMs: Date.parse("2025-12-31T21:30:00Z") });
    await scene.start();
    const counts: Record<string, unknown> = {};
    for (const day of ["2025-12-30", "2025-12-31", "2026-01-01"]) {
      const { body } = await scene.send({ path: `/transactions.php?date_from=${day}&date_to=${day}` });
      for (const { created_at } of body.transactions as { created_at: string }[]) expect(created_at).toStartWith(day);
      counts[day] = (body.pagination as { total_items: number }).total_items;
    }
    await scene.close();
    const [before, after] = timestamps === "utc" ? [1, 0] : [0, 1];
    expect(counts).toEqual({ "2025-12-30": 0, "2025-12-31": before, "2026-01-01": after });
  });

  test.each<[Profile, string, boolean]>([
    [{ array_name: "data" }, "data", true],
    [{ response_form: "short" }, "data", false],
    [{ response_form: "short", array_name: "transactions" }, "transactions", false],
  ])("%j: the array is %s", async (profile, name, hasSummary) => {
    const { list } = await answersWith(profile);
    expect(list).toMatchObject({ [name]: [{ amount: 100 }] });
    expect(Object.keys(list).toSorted()).toEqual(
      ["success", "message", name, "pagination", "filters_applied", ...(hasSummary ? ["summary"] : [])].toSorted(),
    );
  });

  test("the short form leaves members out, and changes no other", async () => {
    const [full, short] = [
      await answersWith({}, "completed"),
      await answersWith({ response_form: "short" }, "completed"),
    ];
    expect(full.status).toMatchObject(short.status);
    const { data, ...rest } = short.list as { data: object[] };
    expect(full.list).toMatchObject({ ...rest, transactions: data });
    expect(Object.keys(data[0] ?? {})).toHaveLength(10);
    expect(Object.keys(short.status)).toHaveLength(7);
  });

  test("the short form has the profile's phones and timestamps, too", async () => {
    const { status, list } = await answersWith({ response_form: "short", phone: "0", timestamps: "utc" });
    for (const members of [status, (list.data as object[])[0]])
      expect(members).toMatchObject({ phone: "0712345678", created_at: "2025-12-31 21:30:00" });
  });

  test("the OpenAPI description has the profile's array, phones and refusals", async () => {
    const profile: Profile = {
      ...{ array_name: "data", phone: "+254", unknown_id: { status: 200, message: "?" } },
      ...{ bad_filter: NO, invalid_account: { status: 409, message: "?" } },
    };
    const { scene, description } = await openDescription({ profile });
    await scene.start();
    const refused = [list("status=no"), post("/stkpush.php", { ...pay, payment_account_id: 99 })];
    for (const request of [list(""), unknownId, ...refused]) {
      const { status, body, text } = await scene.send(request);
      const { responses } = operationOf(description, request.path.split("?")[0] ?? "");
      expect(Object.keys(responses)).toContain(`${status}`);
      const described = responses[status]?.content["application/json"].schema;
      const failure = JSON.stringify(description.components.schemas.Failure);
      const whole = JSON.stringify(described).replace('{"$ref":"#/components/schemas/Failure"}', failure);
      expect(schemaChecker(JSON.parse(whole))(body), text).toBeNull();
    }
    await scene.close();
  });
});

test.each(Object.keys(profileSchema.shape))(
  "no wrong value of %s is refused in the words of the schema library",
  (member) => {
    const words = ["", "x".repeat(2000), "a\nb"];
    for (const value of [...words, 1, -1.5, true, null, [], {}, { status: "x", message: 1 }, { 1032: 1 }]) {
      try {
        parseProfile({ [member]: value });
      } catch (error) {
        expect((error as Error).message).toStartWith(member);
        expect((error as Error).message).not.toMatch(/Invalid|[Ee]xpected|Too |Unrecognized/);
      }
    }
  },
);
