import type { LoggedRequest, ServerFacts } from "../wire.ts";

/** Shell commands that do the same as a control of the page. */

/** A word, quoted for a POSIX shell if necessary. */
export function quote(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** A call of the control API as a `curl` line. */
export function controlCurl(
  { control_url }: Pick<ServerFacts, "control_url">,
  needsToken: boolean,
  method: string,
  path: string,
  body?: unknown,
): string {
  return [
    "curl -s",
    ...(method === "GET" || (method === "POST" && body !== undefined) ? [] : [`-X ${method}`]),
    quote(control_url + path),
    ...(needsToken ? ['-H "Authorization: Bearer $MOMO_CONTROL_TOKEN"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${alwaysQuoted(JSON.stringify(body))}`]),
  ].join(" ");
}

/** A momo command. Undefined and empty flags are left out. */
export function momoLine(words: readonly string[], flags: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(flags).flatMap(([flag, value]) => (value ? [flag, quote(value)] : []));
  return ["momo", ...words.map(quote), ...given].join(" ");
}

/** curl has its own flag for HEAD: with -X HEAD it waits for a body that never arrives. */
const METHOD_OPTIONS: Readonly<Record<string, readonly string[]>> = { GET: [], HEAD: ["-I"] };

/** Headers that the caller sets. curl adds the others, as every HTTP client does. */
const WRITTEN_HEADERS = new Set(["x-api-key", "x-api-secret", "content-type", "x-sandbox-outcome"]);

/** A logged request as a `curl` line for a shell with `$MOMO_API_SECRET`: the log does not have the secret. */
export function replayCurl(request: LoggedRequest, { base_url }: Pick<ServerFacts, "base_url">): string {
  const headers = Object.entries(request.headers)
    .filter(([name]) => WRITTEN_HEADERS.has(name))
    .map(([name, value]) =>
      name === "x-api-secret" ? '-H "X-API-Secret: $MOMO_API_SECRET"' : `-H ${alwaysQuoted(`${name}: ${value}`)}`,
    );
  return [
    // Without this flag curl resolves `..`, and requests another path than the log shows.
    /\/\.{1,2}(?:[/?]|$)/.test(request.target) ? "curl -sg --path-as-is" : "curl -sg",
    ...(METHOD_OPTIONS[request.method] ?? [`-X ${quote(request.method)}`]),
    alwaysQuoted(new URL(base_url).origin + request.target),
    ...headers,
    ...(request.body === null ? [] : [`--data-raw ${alwaysQuoted(request.body)}`]),
  ].join(" ");
}

const alwaysQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
