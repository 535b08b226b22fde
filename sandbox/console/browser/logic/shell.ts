import { curlLine, quoted } from "../../../curl.ts";
import type { LoggedRequest } from "../wire.ts";

/** Lines for a shell. */

/** Reads a secret from a file of the data directory, in a shell: the page does not have it. */
export const secretFrom = (data: string, file: string, name: string): string =>
  `$(sed -n 's/.*"${name}": "\\(.*\\)".*/\\1/p' ${quoted(`${data}/${file}.json`)})`;

/** A logged request as a `curl` line. The log does not have the secret. */
export const curlOf = (request: LoggedRequest, baseUrl: string): string =>
  curlLine({ ...request, headers: Object.entries(request.headers) }, new URL(baseUrl).origin, "$MOMO_API_SECRET");
