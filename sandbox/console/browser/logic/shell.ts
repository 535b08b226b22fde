import { curlLine, quoted } from "../../../curl.ts";
import type { LoggedRequest, ServerFacts } from "../wire.ts";

/** Lines for a shell. */

/** Reads a secret from a file of the data directory, in a shell: the page does not have it. */
export const secretFrom = (data: string, file: string, name: string): string =>
  `$(sed -n 's/.*"${name}": "\\(.*\\)".*/\\1/p' ${quoted(`${data}/${file}.json`)})`;

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
