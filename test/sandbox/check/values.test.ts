import { expect, test } from "bun:test";
import { checkScene, type Deviation, fillScene } from "../../support/checked.ts";
import { forAllTests } from "../../support/cleanup.ts";
import { openScene } from "../../support/scene.ts";

/** Values that a member of an answer must not have: the sentence about it does not hold. */

const scene = forAllTests(async () => {
  const opened = await openScene();
  await fillScene(opened);
  return opened;
});

type Json = Record<string, unknown>;

const NO_ID = [null, 12, "", "ws_CO_20112026100000", "ws_CO_20112026100000_", "ws__1", "XX_1_1"];
const NO_TIMESTAMP = [0, "", "2026-11-20", "2026-11-20T10:00:00", "2026-11-20 10:00:00.5", "20-11-2026 10:00:00"];
const NO_COUNT = [null, "1", 1.5, -1];

const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  "list.id": [null, "1", 1.5],
  "list.kind": [null, "card", "API"],
  "list.type": [null, 5, "", "api"],
  "list.status": [null, "", "paid", "COMPLETED"],
  "list.amount": [null, "5"],
  "list.fee_amount": [null, "5"],
  "list.fee_deducted": [null, 1, "true"],
  "list.phone": [null, 254712345678],
  "list.transaction_code": [5, false],
  "list.momo_receipt_number": [5, false],
  "list.checkout_request_id": NO_ID,
  "list.merchant_request_id": [...NO_ID, "ws_CO_20112026100000_1"],
  "list.result_code": ["0", 1.5],
  "list.result_desc": [0, {}],
  "list.created_at": [null, ...NO_TIMESTAMP],
  "list.completed_at": NO_TIMESTAMP,
  "status.created_at": [null, ...NO_TIMESTAMP],
  "status.result_code": ["0", 1.5],
  "status.status": [null, "paid"],
  "pagination.total_items": [null, "1", 1.5],
  "summary.total_completed_amount": [null, "5"],
  "summary.completed_count": NO_COUNT,
  "summary.failed_count": NO_COUNT,
};

/** The answers of a kind with this value in one member. */
const withValue =
  (place: string, name: string, value: unknown): Deviation =>
  (answer) => {
    const body = JSON.parse(answer.text) as Json;
    const part = body[place] as Json | undefined;
    const changed = { ...body, ...(part && { [place]: { ...part, [name]: value } }) };
    if (place === "list" && body.transactions)
      changed.transactions = (body.transactions as Json[]).map((row) => ({ ...row, [name]: value }));
    if (place === "status" && body.status) changed[name] = value;
    return { ...answer, text: JSON.stringify(changed) };
  };

const rows = Object.entries(WRONG).flatMap(([id, values]) => values.map((value) => [id, value] as const));

test.each(rows)("%s must not be %j, and no phone is shown with it", async (id, value) => {
  const [place = "", name = ""] = id.split(".");
  const { checked } = await checkScene(scene, withValue(place, name, value), null);
  expect(checked.find((one) => one.id === id)?.verdict).toBe("fails");
  expect(JSON.stringify(checked)).not.toMatch(/254[0-9]{9}/);
});
