import type { Sent } from "./events.ts";

/** A request of the merchant API, with a merchant's key. */
export function api(
  method: string,
  path: string,
  { apiKey, apiSecret }: { apiKey: string; apiSecret: string },
  json: object | null,
  more: Record<string, string> = {},
): Sent {
  const type = json === null ? {} : { "Content-Type": "application/json" };
  const headers: Record<string, string> = { "X-API-Key": apiKey, "X-API-Secret": apiSecret, ...type, ...more };
  return { method, target: `/v2${path}`, headers, body: json === null ? null : JSON.stringify(json) };
}

/** A call of the control API. */
export function control(method: string, path: string, json: object | null = null): Sent {
  const headers: Record<string, string> = json === null ? {} : { "Content-Type": "application/json" };
  return { method, target: `/_momo${path}`, headers, body: json === null ? null : JSON.stringify(json) };
}
