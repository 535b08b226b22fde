import { redact } from "../../src/domain/credentials.ts";
import type { LoggedRequest } from "../request-log.ts";

/** A method of which curl has its own way: told to send HEAD as such, it waits for a body that never comes. */
const METHOD_OPTIONS: Record<string, readonly string[]> = { GET: [], HEAD: ["-I"] };

/** Headers that the caller has written; what an HTTP client adds, curl adds too. */
const WRITTEN_HEADERS = new Set(["x-api-key", "x-api-secret", "content-type", "x-sandbox-outcome"]);

/**
 * A logged call as a `curl` line to paste into a shell in which `$MOMO_API_SECRET` is set; as a comment where the log does not
 * have all of the body.
 */
export function curlLine(request: LoggedRequest, origin: string): string {
  const { method, bodyCutBytes } = request;
  if (bodyCutBytes > 0) {
    return `# left out, because the log does not keep all of its body: ${method} ${redact(request.target)}`;
  }
  const headers = [...request.headers]
    .filter(([name]) => WRITTEN_HEADERS.has(name))
    .map(([name, value]) =>
      name === "x-api-secret" ? `-H "x-api-secret: $MOMO_API_SECRET"` : `-H ${quote(`${name}: ${redact(value)}`)}`,
    );
  return [
    // Else curl would resolve ..: a line from the log must not lead elsewhere than the call that it shows.
    /\/\.{1,2}(?:[/?]|$)/.test(request.target) ? "curl -g --path-as-is" : "curl -g",
    ...(METHOD_OPTIONS[method] ?? ["-X", method]),
    quote(origin + redact(request.target)),
    ...headers,
    ...(request.body === null ? [] : ["--data-raw", quote(redact(request.body))]),
  ].join(" ");
}

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
