import { Refusal, type RefusalKind } from "../domain/error.ts";

/** The one table from refusals to statuses (§7). */
const STATUS_OF: Record<RefusalKind, number> = {
  invalid: 400,
  unauthorized: 401,
  not_found: 404,
  provider: 500,
};

const HEADERS = {
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
};

/** HTTP 200 with `success`, `message` (§1) and what else the operation answers. */
export function succeed(message: string, members: object): Response {
  return new Response(JSON.stringify({ success: true, message, ...members }), { headers: HEADERS });
}

/** The error body of §7: exactly `success` and `message`. */
export function fail(status: number, message: string, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify({ success: false, message }), { status, headers: { ...HEADERS, ...headers } });
}

/**
 * A refusal in its own words. Anything else is a bug: it is reported, and the caller learns only that there was one.
 * @param reportFault told of the bug
 */
export function failWith(error: unknown, reportFault: (error: unknown) => void): Response {
  if (error instanceof Refusal) return fail(STATUS_OF[error.kind], error.message);
  reportFault(error);
  return fail(500, "internal server error");
}
