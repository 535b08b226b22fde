import { expect, test } from "bun:test";
import { requestLine } from "../../cli/terminal/server-log.ts";
import type { AnsweredRequest } from "../../sandbox/request-log.ts";

const REFUSED = { method: "GET", target: "/v2/", status: 401, durationMs: 1, said: {}, fault: null, leniencies: [] };
const KEY = `mk_${"a".repeat(24)}`;
const SECRET = `ms_${"b".repeat(40)}`;

test.each([
  [{}, "X-API-Key is missing, X-API-Secret is missing"],
  [{ "X-API-Key": KEY }, "X-API-Secret is missing"],
  [{ "X-API-Key": "", "X-API-Secret": SECRET }, "X-API-Key is empty"],
  [
    { "X-API-Key": `Bearer ${KEY}`, "X-API-Secret": `"${SECRET}"` },
    'X-API-Key begins with "Bearer", X-API-Secret is in quotes',
  ],
  [{ "X-API-Key": `${KEY} x`, "X-API-Secret": SECRET }, "X-API-Key has white space in it"],
  [{ "X-API-Key": "$MOMO_API_KEY", "X-API-Secret": SECRET }, "X-API-Key is not mk_ and 16 to 64 letters and digits"],
  [{ "X-API-Key": KEY, "X-API-Secret": KEY }, "X-API-Secret is not ms_ and 32 to 128 letters and digits"],
  [{ "X-API-Key": KEY, "X-API-Secret": SECRET }, "the form of both headers is right"],
])("the log of a 401 with %p says: %s", (headers, credentials) => {
  const sent = new Headers(headers as Record<string, string>);
  const request = { ...REFUSED, headers: sent } as unknown as AnsweredRequest;
  expect(JSON.parse(requestLine("json", request, 0)).credentials).toBe(credentials);
  expect(requestLine("pretty", request, 0)).toEndWith(`  (${credentials})`);
});
