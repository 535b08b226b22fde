import { expect, test } from "bun:test";
import { answersOf, failureSchema, type ResponseForm } from "../../src/http/answers.ts";
import { openDescription, operationOf, schemaChecker } from "../support/openapi.ts";
import { type Answer, payment, type RequestSpec } from "../support/scenario.ts";

const STATUS_SHORT = ["status", "amount", "phone", "transaction_code", "created_at"];
const ITEM_SHORT = [...STATUS_SHORT, "id", "type", "fee_amount", "fee_deducted", "completed_at"];
const IDS = ["checkout_request_id", "merchant_request_id"];
const OUTCOME = ["momo_receipt_number", "result_code", "result_desc"];

/** The members of each answer in both forms (§4.1–4.3), beside `success` and `message`. */
const MEMBERS: Record<ResponseForm, Record<string, string[]>> = {
  full: {
    "/stkpush.php": ["transaction_id", ...IDS],
    "/status.php": [...STATUS_SHORT, "fee_amount", "completed_at", ...IDS, ...OUTCOME],
    "/transactions.php": ["transactions", "summary", "pagination", "filters_applied"],
    item: [...ITEM_SHORT, ...IDS, ...OUTCOME, "kind", "is_deposit", "credit_target", "payment_link_id"],
  },
  short: {
    "/stkpush.php": IDS,
    "/status.php": STATUS_SHORT,
    "/transactions.php": ["data", "pagination", "filters_applied"],
    item: ITEM_SHORT,
  },
};
const PAGINATION = ["current_page", "per_page", "total_items", "total_pages"];
const SUMMARY = ["total_completed_amount", "completed_count", "pending_count", "failed_count"];

const namesOf = (value: unknown) => Object.keys(value as object).toSorted();

/** The members by name, of an answer with 200. */
function expectMembers(form: ResponseForm, path: string, { body }: Answer): void {
  const { item = [], [path]: members = [] } = MEMBERS[form];
  expect(namesOf(body)).toEqual(["success", "message", ...members].toSorted());
  if (path !== "/transactions.php") return;
  expect(namesOf(body.pagination)).toEqual(PAGINATION.toSorted());
  if (form === "full") expect(namesOf(body.summary)).toEqual(SUMMARY.toSorted());
  for (const one of body[form === "full" ? "transactions" : "data"] as object[]) {
    expect(namesOf(one)).toEqual(item.toSorted());
  }
}

test.each(["full", "short"] as const)(
  "answers have the members of the %s form and match their schemas",
  async (form) => {
    const { scene, description } = await openDescription({ profile: { response_form: form } });
    const seen = new Set<string>();

    /** Compares the answer with the names above, with zod's schema and, by another validator, with the OpenAPI description. */
    async function send(path: string, spec: Partial<RequestSpec> = {}) {
      const answer = await scene.send({ ...spec, path: path + (spec.path ?? "") });
      const { status, body, text } = answer;
      seen.add(`${path} ${status}`);
      const described = operationOf(description, path).responses[status]?.content["application/json"].schema;
      if (status === 200) expectMembers(form, path, answer);
      const schema = status === 200 ? answersOf({ response_form: form })[path as "/status.php"] : failureSchema;
      expect(schema.safeParse(body).error, text).toBeUndefined();
      const problemOf = schemaChecker(status === 200 ? described : description.components.schemas.Failure);
      expect(problemOf(body), text).toBeNull();
      expect(problemOf({ ...body, more: 1 })).not.toBeNull();
      return body;
    }

    const ids: unknown[] = [];
    for (const outcome of ["completed", "insufficient_funds", "cancelled", "silent", "manual"]) {
      const json = { ...payment(scene.caller), amount: 1234.56, reference: "R" };
      ids.push((await send("/stkpush.php", { json, headers: { "X-Sandbox-Outcome": outcome } })).checkout_request_id);
    }
    const states = async () => {
      await send("/transactions.php", { path: "?type=api&search=r&date_from=2026-01-01&date_to=2027-01-01" });
      const answers = await Promise.all(ids.map((id) => send("/status.php", { json: { checkout_request_id: id } })));
      return answers.map(({ status }) => status);
    };
    expect(await states()).toEqual(["pending", "pending", "pending", "pending", "pending"]);
    await scene.harness.advance(3000);
    expect(await states()).toEqual(["completed", "failed", "cancelled", "pending", "pending"]);
    await scene.harness.advance(60_000);
    expect(await states()).toEqual(["completed", "failed", "cancelled", "expired", "expired"]);

    await send("/stkpush.php", { json: { ...payment(scene.caller), phone: "254700000500" } });
    await send("/stkpush.php", { json: {} });
    await send("/status.php", { json: { checkout_request_id: "ws_CO_1_UNKNOWN" } });
    await send("/status.php", { json: [] });
    await send("/transactions.php", { path: "?id=99" });
    await send("/transactions.php", { path: "?page=0" });
    for (const path of ["/stkpush.php", "/status.php", "/transactions.php"]) {
      await send(path, { as: "anonymous", method: path === "/transactions.php" ? "GET" : "POST" });
      await send(path, { method: "DELETE" });
    }
    const described = Object.keys(description.paths).flatMap((path) =>
      Object.keys(operationOf(description, path).responses).map((status) => `${path} ${status}`),
    );
    // Only a bug causes these.
    const bugs = ["/status.php 500", "/transactions.php 500"];
    expect([...seen, ...bugs].toSorted()).toEqual(described.toSorted());
    await scene.close();
  },
);
