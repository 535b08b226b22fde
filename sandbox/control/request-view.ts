import { REDACTED, redact } from "../../src/domain/credentials.ts";
import { formatTimestamp } from "../../src/domain/timestamp.ts";
import type { LoggedRequest } from "../request-log.ts";

/** Headers that are secret as a whole. */
const SECRET_HEADERS = new Set(["x-api-secret", "authorization", "proxy-authorization", "cookie"]);

/** A logged call in the words of the wire. A secret never leaves the log, wherever a client put it. */
export function requestView(request: LoggedRequest) {
  return {
    id: request.id,
    at: formatTimestamp(request.atMs),
    at_ms: request.atMs,
    duration_ms: Math.round(request.durationMs * 1000) / 1000,
    method: request.method,
    target: redact(request.target),
    headers: Object.fromEntries(
      [...request.headers].map(([name, value]) => [name, SECRET_HEADERS.has(name) ? REDACTED : redact(value)]),
    ),
    body: request.body === null ? null : redact(request.body),
    body_cut_bytes: request.bodyCutBytes,
    status: request.status,
    answer: request.status === null || request.answer === null ? null : parsed(redact(request.answer)),
    answer_cut_bytes: request.status === null ? 0 : request.answerCutBytes,
    fault: request.fault,
    leniencies: request.leniencies,
    lenient_takes: request.isTakenLeniently,
  };
}

/** JSON as such; a text that was cut is none any more. */
function parsed(answer: string): unknown {
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}
