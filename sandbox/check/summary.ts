import {
  type Check,
  type CheckResult,
  type CheckRun,
  check,
  type Listed,
  list,
  listIn,
  ok,
  received,
  violated,
  whereSome,
} from "./check-run.ts";
import { type Service, Skip } from "./service.ts";

/** What the summary of a list counts. */

const LIST = "/transactions.php";

/** How many payments have a status. @throws Skip if the list does not select by status */
async function countOf(service: Service, state: string): Promise<number> {
  const { pagination, items: some } = await list(service, `?status=${state}`);
  const { total_items } = pagination;
  if (some.some(({ status }) => status !== state) || typeof total_items !== "number")
    throw new Skip({ kind: "not_selected" });
  return total_items;
}

/** Without a cancelled or expired payment, all counts are the same. */
async function failedOnly({ service }: CheckRun): Promise<CheckResult> {
  const { exchange, summary } = await list(service);
  if (summary === null) throw new Skip({ kind: "short_form" });
  const number = summary.failed_count;
  if (typeof number !== "number") throw new Skip({ kind: "not_shown", member: "failed_count" });
  const failed = await countOf(service, "failed");
  const cancelled = await countOf(service, "cancelled");
  const expired = await countOf(service, "expired");
  if (cancelled + expired === 0 && number === failed)
    throw new Skip({ kind: "none_such", statuses: ["cancelled", "expired"] });
  if (number === failed) return ok(exchange);
  // Payments may have ended between the requests.
  const later = listIn(await service.again({ path: LIST })).summary;
  if (later?.failed_count !== number) throw new Skip({ kind: "may_change" });
  const sums = [
    { counts: ["failed", "cancelled", "expired"], sum: failed + cancelled + expired },
    { counts: ["failed", "cancelled"], sum: failed + cancelled },
    { counts: ["failed", "expired"], sum: failed + expired },
  ];
  const counts = sums.find(({ sum }) => sum === number)?.counts;
  const fact = {
    kind: "count",
    name: "failed_count",
    received: number,
    status: "failed",
    selected: received(failed),
  } as const;
  return violated(exchange, { ...fact, ...(counts && { counts }) }, { summary });
}

/** As many as a page can have. */
const COMPLETED = { path: `${LIST}?status=completed&limit=100` };

/** The sum of the amounts of what is completed. @throws Skip if it cannot be told */
function sumOf({ items, pagination }: Listed): number {
  if (items.some(({ status }) => status !== "completed")) throw new Skip({ kind: "not_selected" });
  if (items.length === 0) throw new Skip({ kind: "none_such", statuses: ["completed"] });
  if (items.length !== pagination.total_items) throw new Skip({ kind: "many_rows" });
  const cents = items.map(({ amount }) => (typeof amount === "number" ? Math.round(amount * 100) : Number.NaN));
  const sum = cents.reduce((total, one) => total + one) / 100;
  if (Number.isNaN(sum)) throw new Skip({ kind: "not_shown", member: "amount" });
  return sum;
}

/** Before fees, of all payments: a sum of the rows of the page, or of those that were not paid, is another one. */
async function paidOnly({ service }: CheckRun): Promise<CheckResult> {
  const sum = sumOf(listIn(await service.ask(COMPLETED)));
  const { exchange, summary } = listIn(await service.again({ path: LIST }));
  if (summary === null) throw new Skip({ kind: "short_form" });
  const number = summary.total_completed_amount;
  if (typeof number !== "number") throw new Skip({ kind: "not_shown", member: "total_completed_amount" });
  if (Math.abs(number - sum) < 0.005) return ok(exchange);
  // A payment may have ended between the requests.
  if (sumOf(listIn(await service.again(COMPLETED))) !== sum) throw new Skip({ kind: "may_change" });
  return violated(exchange, { kind: "sum", name: "total_completed_amount", received: number, sum }, { summary });
}

export const SUMMARY_CHECKS: readonly Check[] = [
  check("summary.counts", "§2.4", "The summary counts what the filter `status` selects", async ({ service }) => {
    const { exchange, summary } = await list(service);
    if (summary === null) throw new Skip({ kind: "short_form" });
    let compared = 0;
    for (const state of ["completed", "pending"]) {
      const { pagination, items: some } = await list(service, `?status=${state}`);
      if (some.some(({ status }) => status !== state)) continue;
      const name = `${state}_count`;
      const number = summary[name];
      if (typeof number !== "number" || !Number.isInteger(number)) continue;
      compared += 1;
      if (number === pagination.total_items) continue;
      // Payments may have started or ended between the two requests.
      const later = listIn(await service.again({ path: LIST })).summary;
      if (later?.[name] === pagination.total_items) continue;
      if (later?.[name] !== number) throw new Skip({ kind: "may_change" });
      const selected = received(pagination.total_items);
      return violated(exchange, { kind: "count", name, received: number, status: state, selected }, { summary });
    }
    if (compared === 0) throw new Skip({ kind: "not_selected" });
    return whereSome(service, ok(exchange));
  }),
  check(
    "summary.paid-only",
    "§2.4",
    "`total_completed_amount` is the sum of the amounts of completed payments",
    paidOnly,
  ),
  check("summary.failed-only", "§2.4", "`failed_count` counts only payments with the status failed", failedOnly),
];
