import { redact } from "../domain/credentials.ts";
import { Refusal, type RefusalKind } from "../domain/error.ts";

/** The one table from refusals to statuses (§7). */
const STATUS_OF: Record<RefusalKind, number> = {
  invalid: 400,
  unauthorized: 401,
  not_found: 404,
  conflict: 409,
  stopping: 503,
  provider: 500,
};

/** Made once: an answer copies them faster than it would make them. */
const HEADERS = new Headers({
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
});

const SENT = new WeakMap<Response, string>();

/** The text of an answer of ours, for whoever keeps a log of answers; null for an answer of somebody else's. */
export function bodySent(response: Response): string | null {
  return SENT.get(response) ?? null;
}

const send = (status: number, body: object, headers = HEADERS) => sendText(status, JSON.stringify(body), headers);

function sendText(status: number, text: string, headers: Headers): Response {
  const response = new Response(text, { status, headers });
  SENT.set(response, text);
  return response;
}

/** HTTP 200 with `success`, `message` (§1) and what else the operation answers. */
export function succeed(message: string, members: object): Response {
  return send(200, { success: true, message, ...members });
}

/** The same with a list whose entries are JSON already, because each was measured. */
export function succeedWithList(message: string, members: object, name: string, entries: readonly string[]): Response {
  const rest = JSON.stringify({ success: true, message, ...members });
  return sendText(200, `${rest.slice(0, -1)},${JSON.stringify(name)}:[${entries.join(",")}]}`, HEADERS);
}

/** A document that stands for itself, without the members of an answer. */
export function serveDocument(document: object): Response {
  return send(200, document);
}

/** HTTP 503 while the server stops; with members, for whoever asks how it stands. */
export function unavailable(message: string, members: object): Response {
  return send(503, { success: false, message, ...members });
}

/** The error body of §7: exactly `success` and `message`. */
export function fail(status: number, message: string, more: Record<string, string> = {}): Response {
  const headers = new Headers(HEADERS);
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  return send(status, { success: false, message }, headers);
}

/**
 * A refusal in its own words, which may name what came, but no secret. Anything else is a bug: it is reported, and the caller learns only that there was one.
 * @param reportFault told of the bug
 */
export function failWith(error: unknown, reportFault: (error: unknown) => void): Response {
  if (error instanceof Refusal) return fail(STATUS_OF[error.kind], redact(error.message));
  reportFault(error);
  return fail(500, "internal server error");
}
