/** Logged requests as lines for a shell. The console imports this file, so it imports nothing. */

/** A text between quotes, for a POSIX shell. */
export const inQuotes = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A word, quoted for a POSIX shell if necessary. */
export const quoted = (word: string): string => (/^[\w./:@%+=,-]+$/.test(word) ? word : inQuotes(word));

/** curl has its own flag for HEAD: with -X HEAD it waits for a body that never arrives. */
const METHOD_OPTIONS: Readonly<Record<string, readonly string[]>> = { GET: [], HEAD: ["-I"] };

/** Headers that the caller sets. curl adds the others, as any HTTP client does. */
const WRITTEN_HEADERS = new Set(["x-api-key", "x-api-secret", "content-type", "x-sandbox-outcome"]);

interface Written {
  readonly method: string;
  readonly target: string;
  readonly headers: Iterable<readonly [name: string, value: string]>;
  readonly body: string | null;
}

/**
 * A request as a `curl` line.
 * @param secret stands for the secret, which the log does not have: words for the shell, between double quotes
 */
export function curlLine({ method, target, headers, body }: Written, origin: string, secret: string): string {
  const written = [...headers].filter(([name]) => WRITTEN_HEADERS.has(name));
  return [
    // Without this flag curl resolves `..`, and the line would request another path than the log shows.
    /\/\.{1,2}(?:[/?]|$)/.test(target) ? "curl -g --path-as-is" : "curl -g",
    ...(METHOD_OPTIONS[method] ?? ["-X", quoted(method)]),
    inQuotes(origin + target),
    ...written.map(([name, value]) =>
      name === "x-api-secret" ? `-H "${name}: ${secret}"` : `-H ${inQuotes(`${name}: ${value}`)}`,
    ),
    ...(body === null ? [] : ["--data-raw", inQuotes(body)]),
  ].join(" ");
}
