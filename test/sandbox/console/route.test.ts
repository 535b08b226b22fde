import { describe, expect, test } from "bun:test";
import { formatRoute, parseRoute, type Route } from "../../../sandbox/console/browser/logic/route.ts";

describe("the address after #", () => {
  const ROUTES: Route[] = [
    { view: "requests", selected: null, query: {} },
    { view: "transactions", selected: "ws_CO_1_A/%é", query: { search: "a&b=c?#/%", status: "failed" } },
    { view: null, selected: null, query: { merchant: "2" } },
  ];
  test.each(ROUTES)("keeps %j", (route) => {
    expect(parseRoute(formatRoute(route))).toEqual(route);
  });

  test("has one id after the view, and a filter can have several lines", () => {
    expect(parseRoute("#requests/7/8?search=a\nb")).toEqual({
      view: "requests",
      selected: "7",
      query: { search: "a\nb" },
    });
  });

  test.each(["", "#", "#nowhere", "#__proto__", "#/%E0%A4%A", "#?status="])("%p means nothing", (hash) => {
    expect(parseRoute(hash)).toEqual({ view: null, selected: null, query: {} });
  });
});
