import { describe, expect, test } from "bun:test";
import { describeScenarios, openScene, type Scenario } from "../support/scenario.ts";

const list = (query: string) => ({ path: `/transactions.php?${query}` });

function accepts(rows: [query: string, members: Record<string, unknown>][]): Scenario[] {
  return rows.map(([query, contains]) => ({ name: query, request: list(query), status: 200, contains }));
}

function refuses(member: string, rule: string, queries: string[]): Scenario[] {
  return queries.map((query) => ({
    name: `not ${query.slice(0, 60)}`,
    request: list(query),
    status: 400,
    contains: { message: [member, rule] },
  }));
}

const page = (current_page: number, per_page: number) => ({
  transactions: [],
  pagination: { current_page, per_page, total_items: 0, total_pages: 0 },
});

describeScenarios("page: integer at least 1, default 1; past the end: an empty page, 200", [
  ...accepts([
    ["", page(1, 10)],
    ["page=1", page(1, 10)],
    ["page=2", page(2, 10)],
    ["page=1000000000", page(1_000_000_000, 10)],
  ]),
  ...refuses("page", "must be a whole number from 1", [
    "page=0",
    "page=-1",
    "page=",
    "page=1.0",
    "page=%205",
    "page=1%00",
  ]),
]);

describeScenarios("limit: integer 1–100, default 10; anything else 400", [
  ...accepts([
    ["limit=1", page(1, 1)],
    ["limit=100", page(1, 100)],
  ]),
  ...refuses("limit", "must be a whole number from 1 to 100", ["limit=0", "limit=101", "limit=", "limit=10%0A"]),
]);

describeScenarios("type and status: one of the spec's values, any letter case; filters_applied normalised", [
  ...["api", "web", "wallet_deposit", "credit_topup"].flatMap((type) =>
    accepts([
      [`type=${type}`, { filters_applied: { type } }],
      [`type=${type.toUpperCase()}`, { filters_applied: { type } }],
      [`type=${type[0]?.toUpperCase()}${type.slice(1)}`, { filters_applied: { type } }],
    ]),
  ),
  ...["pending", "completed", "failed", "cancelled", "expired"].flatMap((status) =>
    accepts([
      [`status=${status}`, { filters_applied: { status } }],
      [`status=${status.toUpperCase()}`, { filters_applied: { status } }],
      [`status=${status[0]?.toUpperCase()}${status.slice(1)}`, { filters_applied: { status } }],
    ]),
  ),
  ...refuses("type must be one of", "api, web, wallet_deposit, credit_topup", [
    "type=",
    "type=all",
    "type=constructor",
    "type=ap%C4%B1",
  ]),
  ...refuses("status must be one of", "pending, completed, failed, cancelled, expired", [
    "status=",
    "status=success",
    "status=__proto__",
  ]),
]);

describeScenarios("date_from and date_to: YYYY-MM-DD; date_from after date_to: 400", [
  ...accepts([
    ["date_from=2026-11-20", { filters_applied: { date_from: "2026-11-20" } }],
    ["date_to=2024-02-29", { filters_applied: { date_to: "2024-02-29" } }],
    [
      "date_from=2026-11-20&date_to=2026-11-20",
      { filters_applied: { date_from: "2026-11-20", date_to: "2026-11-20" } },
    ],
    ["date_to=2026-12-31&date_from=1970-01-01", { filters_applied: { date_from: "1970-01-01" } }],
    ["date_from=0001-01-01&date_to=9999-12-31", { transactions: [] }],
  ]),
  ...["date_from", "date_to"].flatMap((member) =>
    refuses(member, "YYYY-MM-DD", [`${member}=`, `${member}=2026-02-30`, `${member}=2026-11-20%0A`]),
  ),
  ...refuses("date_from must not be after date_to", "", [
    "date_from=2026-11-21&date_to=2026-11-20",
    "date_to=1999-12-31&date_from=2000-01-01",
  ]),
]);

describeScenarios("id: an integer; no such transaction of this merchant: 404", [
  ...["id=1", "id=999999", "id=999999999999999"].map(
    (query): Scenario => ({ name: query, request: list(query), status: 404, contains: { message: "id" } }),
  ),
  ...refuses("id", "must be a whole number", ["id=", "id=abc", "id=1.5", "id=1e1", "id=0x1", "id=1%20OR%201=1"]),
]);

describe("id: another merchant's transaction answers like an unknown one", () => {
  test("byte for byte; and its own merchant sees it", async () => {
    const scene = await openScene();
    const { transaction_id } = await scene.start();
    const unknown = await scene.send({ ...list("id=424242"), as: "other" });
    const foreign = await scene.send({ ...list(`id=${transaction_id}`), as: "other" });
    expect(foreign.status).toBe(404);
    expect(foreign.text).toBe(unknown.text);
    const own = await scene.send(list(`id=${transaction_id}`));
    expect(own.body).toMatchObject({
      transactions: [{ id: transaction_id }],
      pagination: { total_items: 1, total_pages: 1 },
      filters_applied: { id: transaction_id },
    });
    await scene.close();
  });
});

describeScenarios("a parameter that is given twice, or an escape that is not UTF-8: 400", [
  ...["page", "limit", "type", "status", "date_from", "date_to", "search", "id"].map(
    (name): Scenario => ({
      name: `${name} twice`,
      request: list(`${name}=1&${name}=1`),
      status: 400,
      contains: { message: [name, "twice"] },
    }),
  ),
  ...["%", "%ZZ", "%A", "%FF", "%C3", "%ED%A0%80", "%C0%80", "abc%2", "%%20"].map(
    (value): Scenario => ({
      name: `search=${value}`,
      request: list(`search=${value}`),
      status: 400,
      contains: { message: "escape" },
    }),
  ),
]);

describeScenarios("the message names every parameter that does not fit; others are ignored", [
  {
    name: "six wrong ones",
    request: list("page=0&limit=0&type=x&status=x&date_from=x&id=x"),
    status: 400,
    contains: { message: ["page", "limit", "type", "status", "date_from", "id"] },
    lacks: ["date_to", "search"],
  },
  ...accepts([
    ["foo=bar", { filters_applied: {} }],
    ["__proto__=1&constructor=2&hasOwnProperty=3", { filters_applied: {} }],
    ["LIMIT=0", { filters_applied: {} }],
    ["&&&", { filters_applied: {} }],
    ["=", { filters_applied: {} }],
    ["type=%61pi", { filters_applied: { type: "api" } }],
    ["%74ype=api", { filters_applied: { type: "api" } }],
  ]),
]);
