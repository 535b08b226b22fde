import { Refusal, type RefusalFacts, type RefusalKind } from "../domain/error.ts";
import { redact } from "../domain/redact.ts";

/** The one table from refusals to statuses (§7). */
const STATUS_OF: Record<RefusalKind, number> = {
  invalid: 400,
  account: 400,
  unauthorized: 401,
  not_found: 404,
  conflict: 409,
  stopping: 503,
  unavailable: 503,
  provider: 500,
};

/** Made once, because copying headers is faster than making them. */
const HEADERS = new Headers({
  "Content-Type": "application/json",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
});

/** An answer before it is sent, so that the log can keep its text. */
export interface Reply {
  readonly status: number;
  readonly text: string;
  /** The members of the text, so that nobody parses it again. */
  readonly said: Readonly<Record<string, unknown>>;
  readonly headers: Headers;
  /** Why the operation refused the request; absent in other answers. */
  readonly refusal?: RefusalFacts;
}

export function respond({ status, text, headers }: Omit<Reply, "said">): Response {
  const body = bodyOf(text);
  return body === null ? respond(fail(503, UNREAD)) : new Response(body, { status, headers });
}

const UNREAD = "clients have not read 64 MB of earlier answers: read them, or try again later";

function reply(status: number, said: object, headers = HEADERS): Reply {
  return { status, text: JSON.stringify(said), said: said as Reply["said"], headers };
}

/** HTTP 200 with `success`, `message` (§1) and the members of the operation. */
export function succeed(message: string, members: object): Reply {
  return reply(200, { success: true, message, ...members });
}

/** The same with a list. Its entries are JSON already, because their size was measured. */
export function succeedWithList(message: string, members: object, name: string, entries: readonly string[]): Reply {
  const rest = succeed(message, members);
  return { ...rest, text: `${rest.text.slice(0, -1)},${JSON.stringify(name)}:[${entries.join(",")}]}` };
}

/** A document without `success` and `message`. */
export function serveDocument(document: object): Reply {
  return reply(200, document);
}

/** HTTP 503 while the server stops, with more members for health checks. */
export function unavailable(message: string, members: object): Reply {
  return reply(503, { success: false, message, ...members });
}

/** The error body of §7: exactly `success` and `message`. A client may try again a second after a 503. */
export function fail(status: number, message: string, more: Record<string, string> = {}): Reply {
  const headers = new Headers(HEADERS);
  if (status === 503) headers.set("Retry-After", "1");
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  return reply(status, { success: false, message }, headers);
}

/** A refusal that also says as data what is wrong where. */
export function withIssues({ status, said, headers, refusal }: Reply): Reply {
  return { ...reply(status, { ...said, issues: refusal?.issues ?? [] }, headers), ...(refusal && { refusal }) };
}

/** The header of a refusal with its kind, for programs: {@link RefusalKind}, or `path` for a path that does not exist. */
export const REFUSAL_HEADER = "X-Sandbox-Refusal";

/** The refusal of a path that does not exist. @param instead where there is something */
export const noSuchPath = (instead: string): Reply =>
  fail(404, `there is nothing at this path; ${instead}`, { [REFUSAL_HEADER]: "path" });

/** The refusal of a path that a proxy may resolve differently. */
export const ambiguousPath = () =>
  fail(
    400,
    "the path has a dot segment or a backslash, plain or percent-encoded: send it resolved, without . and .. parts",
  );

/** The answer to a refusal, with another status or message than the usual one. */
export const refuse = ({ kind, issues }: Refusal, status: number, message: string): Reply => ({
  ...fail(status, redact(message), { [REFUSAL_HEADER]: kind }),
  refusal: { kind, issues },
});

/**
 * A refusal keeps its message, without secrets. Any other error is a bug: it is reported, and the client gets a fixed text.
 * @param reportFault called with the bug
 */
export function failWith(error: unknown, reportFault: (error: unknown) => void): Reply {
  if (error instanceof Refusal) return refuse(error, STATUS_OF[error.kind], error.message);
  reportFault(error);
  return fail(500, "internal server error");
}

/** Longer answers are sent in pieces, as their client reads them. */
const PIECE_BYTES = 64 * 1024;

/** How much of long answers may wait for their clients, in all connections together. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

const encoder = new TextEncoder();
let unreadBytes = 0;

/** A text as the body of an answer; null if too much waits for clients that do not read. */
function bodyOf(text: string): string | ReadableStream<Uint8Array> | null {
  if (text.length <= PIECE_BYTES) return text;
  const bytes = encoder.encode(text);
  if (unreadBytes + bytes.length > MAX_UNREAD_BYTES) return null;
  let [sent, isCounted] = [0, false];
  const end = () => {
    if (isCounted) unreadBytes -= bytes.length;
    isCounted = false;
  };
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        // Counted when it is sent: nothing ends the stream of an answer that is never sent.
        if (sent === 0) [unreadBytes, isCounted] = [unreadBytes + bytes.length, true];
        controller.enqueue(bytes.subarray(sent, sent + PIECE_BYTES));
        sent += PIECE_BYTES;
        if (sent < bytes.length) return;
        end();
        controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
}
