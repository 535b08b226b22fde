import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CheckReport } from "../../../sandbox/check/result.ts";
import type { Sent } from "../../../sandbox/check/service.ts";
import { openScene, type Scene } from "../../support/scene.ts";
import {
  everywhere,
  inLists,
  inPagination,
  inStatus,
  isList,
  isStatus,
  type Json,
  json,
  paidAs,
  rowsOf,
  when,
} from "./changes.ts";
import { checkReads, checkScene, type Deviation, fillScene, IGNORED, seenOf, sendTo } from "./checked.ts";

/** A service that deviates in one thing: exactly the sentence that names it does not hold. */

let scene: Scene;
let check: ReturnType<typeof checkReads>;

const asks =
  (instead: (path: string) => string): Deviation =>
  (answer, request) =>
    instead(request.path) === request.path ? answer : sendTo(scene)({ ...request, path: instead(request.path) });
const answers =
  (status: number, isMeant: (request: Sent) => boolean): Deviation =>
  (answer, request) =>
    isMeant(request) ? { ...answer, status } : answer;
const fakes =
  (isMeant: (request: Sent) => boolean, more: Json): Deviation =>
  (answer, request) =>
    isMeant(request)
      ? { ...answer, status: 200, text: JSON.stringify({ success: true, message: "", ...more }) }
      : answer;

const isPush = ({ path, as }: Sent) => path === "/stkpush.php" && as === "owner";
const inPush = (change: Json) =>
  json((body, request) => (isPush(request) && body.success ? { ...body, ...change } : undefined));
const inFirst = (change: (body: Json) => Json) =>
  json((body, { path }) => (path === "/transactions.php" && body.success ? { ...body, ...change(body) } : undefined));
const asked = (query: string, change: (body: Json) => Json) =>
  json((body, { path }) => (path.includes(query) ? { ...body, ...change(body) } : undefined));
const lacks = (member: string) => (request: Sent) =>
  isPush(request) &&
  request.body?.includes('"phone":') === (member !== "phone") &&
  !request.body?.includes(`"${member}":`) &&
  request.body !== "{}";
/** The payment that the check has started, and how often its status was read: pending, and then final. */
let started: Json | null = null;
let [pending, final, listed] = [0, 0, 0];
/** Changes the first status of the payment that the check has started, while it is pending or when it is final. */
const atFirst = (when: "pending" | "final", change: Json) =>
  json((body, request) => {
    if (!isStatus(request) || started === null || body.checkout_request_id !== started.checkout_request_id) return;
    const count = body.status === "pending" ? ++pending : ++final;
    return (body.status === "pending") === (when === "pending") && count === 1 ? { ...body, ...change } : undefined;
  });
const watched =
  (deviation: Deviation): Deviation =>
  (answer, request) => {
    const { success, ...body } = JSON.parse(answer.text);
    if (isPush(request) && success === true) started ??= body;
    return deviation(answer, request);
  };

const OUTCOME = {
  completed_at: "2026-11-20 10:00:00",
  transaction_code: "T1",
  momo_receipt_number: "UKK001DAN1",
  result_code: 0,
  result_desc: "",
};
const NO_OUTCOME = {
  transaction_code: null,
  momo_receipt_number: null,
  result_code: null,
  result_desc: null,
  completed_at: null,
};
const STARTED = { checkout_request_id: "ws_CO_1_A", merchant_request_id: "ws_MR_1_A", transaction_id: 1 };

/** Members that are not in an answer at all. */
const LIST_LACKS =
  "kind type amount fee_amount fee_deducted phone transaction_code momo_receipt_number merchant_request_id is_deposit credit_target payment_link_id result_code result_desc created_at completed_at";
const STATUS_LACKS =
  "status amount fee_amount phone transaction_code created_at checkout_request_id momo_receipt_number result_code result_desc completed_at";
const omit = (name: string) => ({ [name]: undefined });

/** A service whose `failed_count` counts payments of these statuses too. */
const countsAsFailed =
  (...statuses: readonly string[]): Deviation =>
  async (answer, request) => {
    const body = JSON.parse(answer.text) as Json;
    if (!isList(request) || !body.summary) return answer;
    const { failed_count, ...summary } = body.summary as Json;
    let count = Number(failed_count);
    for (const status of statuses) {
      const { text } = await sendTo(scene)({ ...request, path: `/transactions.php?status=${status}` });
      count += JSON.parse(text).pagination.total_items;
    }
    return { ...answer, text: JSON.stringify({ ...body, summary: { ...summary, failed_count: count } }) };
  };

const DEVIATIONS: readonly [sentence: string, deviation: Deviation][] = [
  ...LIST_LACKS.split(" ").map((name): [string, Deviation] => [
    `list.${name}`,
    inLists((row) => ({ ...row, ...omit(name) })),
  ]),
  ...STATUS_LACKS.split(" ").map((name): [string, Deviation] => [`status.${name}`, inStatus(omit(name))]),
  ...["current_page", "per_page", "total_items", "total_pages"].map((name): [string, Deviation] => [
    `pagination.${name}`,
    inPagination((pagination) => ({ [name]: `${pagination[name]}` })),
  ]),
  ...["total_completed_amount", "completed_count", "pending_count", "failed_count"].map((name): [string, Deviation] => [
    `summary.${name}`,
    json((body) => (body.summary ? { ...body, summary: { ...(body.summary as Json), ...omit(name) } } : undefined)),
  ]),
  ["list.checkout_request_id", inLists(when("failed", { checkout_request_id: "12" }))],
  ["pending.transaction_code", inLists(when("pending", { transaction_code: "T1" }))],
  ["pending.momo_receipt_number", inLists(when("pending", { momo_receipt_number: "" }))],
  ["pending.result_code", inLists(when("pending", { result_code: 0 }))],
  ["pending.result_desc", inLists(when("pending", { result_desc: "waiting" }))],
  ["pending.completed_at", inLists(when("pending", { completed_at: "2026-11-20 10:00:00" }))],
  ["completed.transaction_code", everywhere(when("completed", { transaction_code: null }))],
  ["completed.momo_receipt_number", everywhere(when("completed", { momo_receipt_number: null }))],
  ["completed.result_code", everywhere(when("completed", { result_code: 1 }))],
  ["completed.completed_at", everywhere(when("completed", { completed_at: null }))],
  ["completed.fee_deducted", inLists(when("completed", { fee_deducted: false }))],
  ["unpaid.transaction_code", everywhere(when("failed", { transaction_code: "T1" }))],
  ["unpaid.momo_receipt_number", everywhere(when("cancelled", { momo_receipt_number: "UKK001DAN1" }))],
  ["status.merchant_request_id", inStatus({ merchant_request_id: "17" })],
  [
    "status.same",
    json((body, request) =>
      isStatus(request) && body.status === "completed" ? { ...body, ...NO_OUTCOME, status: "pending" } : undefined,
    ),
  ],
  ["list.page", inPagination(() => ({ current_page: 2 }))],
  ["list.limit", asks((path) => (path === "/transactions.php" ? `${path}?limit=20` : path))],
  ["list.limit-one", asks((path) => path.replace(/\?limit=1$/, "?limit=2"))],
  ["list.limit-most", asks((path) => path.replace("limit=100", "limit=50"))],
  ["list.full-page", inFirst((body) => ({ transactions: rowsOf(body).slice(0, -1) }))],
  ["list.total-pages", inPagination(({ total_pages }) => ({ total_pages: Number(total_pages) + 1 }))],
  ["list.status-pending", asks((path) => path.replace("?status=pending", "?status=completed"))],
  [
    "list.by-type",
    asked("type=api", (body) => ({ transactions: rowsOf(body).map((row) => ({ ...row, kind: "web" })) })),
  ],
  ["list.id", inLists((row) => (row.status === "completed" ? { ...row, id: `${row.id}` } : row))],
  ["list.status", inFirst((body) => ({ transactions: rowsOf(body).map(when("completed", { status: "paid" })) }))],
  [
    "list.answer",
    answers(
      202,
      (request) => request.path === "/transactions.php" && request.as === "owner" && request.method === "GET",
    ),
  ],
  ["list.search", asked("search=", () => ({ transactions: [] }))],
  ["list.no-filters", inFirst(() => ({ filters_applied: { page: 1 } }))],
  ["summary.counts", inFirst(({ summary }) => ({ summary: { ...(summary as Json), completed_count: 1000 } }))],
  ["summary.paid-only", paidAs((total) => total + 1)],
  ["summary.paid-only", paidAs((total) => total * 0.99)],
  ["summary.paid-only", paidAs((_, rows) => rows.reduce((sum, { amount }) => sum + Number(amount), 0))],
  ["summary.failed-only", countsAsFailed("cancelled", "expired")],
  ["summary.failed-only", countsAsFailed("cancelled")],
  ["summary.failed-only", countsAsFailed("expired")],
  ["list.filters", asked("type=api", () => ({ filters_applied: ["type"] }))],
  ["auth.stranger-list", fakes((request) => isList(request) && request.as === "stranger", {})],
  ["auth.nobody-list", answers(403, (request) => isList(request) && request.as === "nobody")],
  ["auth.stranger-status", answers(400, (request) => isStatus(request) && request.as === "stranger")],
  ["auth.nobody-push", answers(404, ({ path, as }) => path === "/stkpush.php" && as === "nobody")],
  ["method.status", answers(404, (request) => isStatus(request) && request.method === "GET")],
  ["method.push", answers(400, ({ path, method }) => path === "/stkpush.php" && method === "GET")],
  ["method.list", answers(404, (request) => isList(request) && request.method === "POST")],
  ["path.unknown", answers(400, ({ path }) => path.startsWith("/no-such"))],
  ["bad.no-id", answers(404, (request) => isStatus(request) && request.body === "{}" && request.as === "owner")],
  ["bad.id-type", answers(404, (request) => request.body === '{"checkout_request_id":5}')],
  ["bad.no-json", answers(500, ({ body }) => body === "{")],
  ["bad.empty-push", answers(422, (request) => isPush(request) && request.body === "{}")],
  [
    "answers.json",
    json((body, request) => (isList(request) && body.success ? { ...body, message: undefined } : undefined)),
  ],
  ["answers.success", inStatus({ success: false })],
  ["answers.failure", json((body) => (body.success ? undefined : { ...body, code: "E1" }))],
  [
    "pay.accepted",
    (answer, request) => (isPush(request) && answer.status === 200 ? { ...answer, status: 201 } : answer),
  ],
  ["pay.merchant_request_id", inPush({ merchant_request_id: "17" })],
  ["pay.transaction_id", inPush({ transaction_id: 1.5 })],
  ["pay.checkout_request_id", inPush({ checkout_request_id: undefined })],
  ["pay.pending", atFirst("pending", { ...OUTCOME, status: "completed" })],
  ["pay.kept", atFirst("pending", { amount: 1 })],
  ["pay.final", atFirst("final", { status: "paid" })],
  [
    "pay.listed",
    json((body, { path }) => {
      if (path !== `/transactions.php?id=${started?.transaction_id}`) return;
      listed += 1;
      return listed === 1 ? { ...body, transactions: [] } : undefined;
    }),
  ],
  ["pay.no-phone", fakes(lacks("phone"), STARTED)],
  ["pay.no-amount", fakes(lacks("amount"), STARTED)],
  ["pay.no-account", fakes(lacks("payment_account_id"), STARTED)],
  ["pay.minimum", fakes((request) => isPush(request) && request.body?.includes('"amount":0') === true, STARTED)],
  ["pay.amount-type", fakes((request) => isPush(request) && request.body?.includes('"amount":true') === true, STARTED)],
];

beforeAll(async () => {
  scene = await openScene();
  for (let turn = 0; turn < 12; turn += 1) await scene.start();
  await scene.advance(2 * 24 * 60 * 60 * 1000);
  await fillScene(scene);
  check = checkReads(scene);
});
afterAll(() => scene.close());

async function checkPayment(deviation: Deviation): Promise<CheckReport> {
  await scene.start({}, { headers: { "X-Sandbox-Outcome": "manual" } });
  started = null;
  [pending, final, listed] = [0, 0, 0];
  return checkScene(scene, watched(deviation));
}

/** Sentences that are checked only with a payment. */
const OF_PAYMENT = /^pay\.|-push$/;

test.each(DEVIATIONS)("%s", async (sentence, deviation) => {
  const { checked } = await (OF_PAYMENT.test(sentence) ? checkPayment : check)(deviation);
  const failed = checked.filter(({ verdict }) => verdict === "fails");
  expect(failed.map(({ id }) => id)).toEqual([sentence]);
  const [one] = failed;
  if (!one) throw new Error("nothing failed");
  expect(seenOf(one)).not.toBe("");
  // What is said of a member is in the answer that is shown.
  const received = one.fact && "received" in one.fact ? one.fact.received : null;
  expect(one.evidence?.answer).toContain(received === null ? "{" : String(received));
});

test("each sentence has an id of its own, and a deviation", async () => {
  const { checked } = await checkScene(scene);
  const ids = checked.filter(({ momo }) => momo === null).map(({ id }) => id);
  expect(ids.filter((id, turn) => ids.indexOf(id) !== turn)).toEqual([]);
  const planted = new Set([...DEVIATIONS.map(([id]) => id), ...IGNORED.flatMap(([, ids]) => ids)]);
  // The address says which version it is.
  expect(ids.filter((id) => !planted.has(id))).toEqual(["version"]);
});
