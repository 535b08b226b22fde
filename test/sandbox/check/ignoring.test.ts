import { expect, test } from "bun:test";
import { byCause } from "../../../sandbox/check/report.ts";
import { forAllTests } from "../../support/cleanup.ts";
import { openScene } from "../../support/scene.ts";
import { checkReads, checkScene, type Deviation, fillScene, IGNORED, sendTo } from "./checked.ts";

/** A service that does nothing with what is asked: no sentence holds that it could not have failed. */

type Json = Record<string, unknown>;

const scene = forAllTests(async () => {
  const opened = await openScene();
  await fillScene(opened);
  return opened;
});

const check = checkReads(scene);

const without =
  (parameter: string): Deviation =>
  (_answer, request) => {
    const path = request.path.replace(new RegExp(`([?&])${parameter}=[^&]*`), "$1").replace(/[?&]$/, "");
    return sendTo(scene)({ ...request, path });
  };

test.each(IGNORED)("a service that ignores %s", async (parameter, sentences) => {
  const { checked } = await check(without(parameter));
  const ids = (verdict: string) => checked.filter((one) => one.verdict === verdict).map(({ id }) => id);
  expect(ids("fails").toSorted()).toEqual(sentences.toSorted());
});

const always = (rows: (all: Json[]) => Json[]): Deviation => {
  let found: Json[] | null = null;
  return (answer, request) => {
    if (!request.path.startsWith("/transactions.php") || request.as !== "owner" || request.body !== null) return answer;
    const { summary, ...body } = JSON.parse(answer.text);
    found ??= rows(body.transactions);
    const pagination = { current_page: 1, per_page: 10, total_items: found.length, total_pages: 1 };
    const list = { success: true, message: "", transactions: found, summary, pagination, filters_applied: {} };
    return { ...answer, status: 200, text: JSON.stringify(list) };
  };
};

test("filters that are all ignored are one finding", async () => {
  const ignore: Deviation = (_answer, request) =>
    sendTo(scene)({ ...request, path: request.path.replace(/\?(?:status|type|search|date).*/, "") });
  const { checked } = await check(ignore);
  const failed = checked.filter(({ verdict }) => verdict === "fails");
  expect([failed.length, byCause(failed).length]).toEqual([8, 1]);
});

test.each<[what: string, deviation: Deviation]>([
  ["all transactions", always((all) => all)],
  ["one transaction", always((all) => all.slice(0, 1))],
  ["completed ones only", always((all) => all.filter(({ status }) => status === "completed"))],
  ["nothing", always(() => [])],
])("of a list that always has %s, no sentence holds about what it selects", async (_what, deviation) => {
  const { checked } = await check(deviation);
  const selects = /^list\.(?:limit-|next-page|status-|by-|dates|search)/;
  const holding = checked.filter(({ id, verdict }) => selects.test(id) && verdict === "holds");
  expect(holding.map(({ id }) => id)).toEqual([]);
});

test("where all payments are refused, it is not known why one without an amount is", async () => {
  const refuse: Deviation = (answer, { path }) => (path === "/stkpush.php" ? { ...answer, status: 400 } : answer);
  const { checked, profile } = await checkScene(scene, refuse);
  const pays = checked.filter(({ id }) => id.startsWith("pay.") || /silent\.(?:account|text)/.test(id));
  expect([...new Set(pays.map(({ verdict }) => verdict))]).toEqual(["fails", "skipped"]);
  expect(profile).not.toHaveProperty("accept");
});

test("a status that is refused hides nothing of the other lists", async () => {
  const refuse: Deviation = (answer, { path }) =>
    path.includes("status=expired") ? { ...answer, status: 404, text: '{"success":false,"message":"no"}' } : answer;
  const { checked } = await check(refuse);
  const hidden = checked.filter(({ id, verdict }) => /^(?:list|pending|completed)\./.test(id) && verdict !== "holds");
  expect(hidden.map(({ id }) => id)).toEqual(["list.status-expired"]);
});
