import { curlLine, inQuotes, quoted } from "../../../curl.ts";
import type { LoggedRequest, ServerFacts } from "../wire.ts";

/** Shell commands that do the same as a control of the page. */

/** Reads a secret from a file of the data directory, in a shell: the page does not have it. */
export const secretFrom = (data: string, file: string, name: string): string =>
  `$(sed -n 's/.*"${name}": "\\(.*\\)".*/\\1/p' ${quoted(`${data}/${file}.json`)})`;

export function controlCurl(
  { control_url, data }: Pick<ServerFacts, "control_url" | "data">,
  needsToken: boolean,
  method: string,
  path: string,
  body?: unknown,
): string {
  return [
    "curl -s",
    ...(method === "GET" || (method === "POST" && body !== undefined) ? [] : [`-X ${method}`]),
    quoted(control_url + path),
    ...(needsToken
      ? [`-H "Authorization: Bearer ${data === null ? TOKEN : secretFrom(data, "server", "control_token")}"`]
      : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${inQuotes(JSON.stringify(body))}`]),
  ].join(" ");
}

/** The shell says what is missing. */
const TOKEN = `\${MOMO_CONTROL_TOKEN:?set it to the control token}`;

/** The words of a momo command. Undefined and empty flags are left out. */
export function momoWords(words: readonly string[], flags: Readonly<Record<string, string | undefined>> = {}): string {
  const given = Object.entries(flags).flatMap(([flag, value]) => (value ? [flag, quoted(value)] : []));
  return [...words.map(quoted), ...given].join(" ");
}

export const momoLine = ({ command: { program, flags } }: Pick<ServerFacts, "command">, words: string): string =>
  `${program} ${words} ${flags}`.trimEnd();

/** A logged request as a `curl` line. The log does not have the secret: the shell reads that of the sandbox's own key. */
export function replayCurl(
  request: LoggedRequest,
  { base_url, data, api_key }: Pick<ServerFacts, "base_url" | "data" | "api_key">,
): string {
  const isOwn = data !== null && request.headers["x-api-key"] === api_key;
  const secret = isOwn
    ? secretFrom(data, "credentials", "api_secret")
    : `\${MOMO_API_SECRET:?set it to the secret of the key}`;
  return curlLine({ ...request, headers: Object.entries(request.headers) }, new URL(base_url).origin, secret);
}
