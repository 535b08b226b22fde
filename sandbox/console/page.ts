import { fail, respond } from "../../src/http/reply.ts";
import { type Handler, targetOf } from "../../src/http/request.ts";
import { CONTROL_PATH } from "../control/context.ts";
import { createHostGuard, type GuardOptions } from "../control/guard.ts";

/** The path of the console's page, beside the calls that the page makes. */
export const CONSOLE_PATH = `${CONTROL_PATH}/`;

/** The same from `/` and from `/_momo`, also where a proxy serves momo below a path. */
const RELATIVE = CONSOLE_PATH.slice(1);

/**
 * Serves the console: one page without a secret, so it needs no token. The other paths redirect to it.
 * @param load reads the page with all its scripts and styles inside, at each request: a server that nobody looks at has no copy of it
 */
export function createConsole(load: () => Promise<string>, guard: GuardOptions): Handler {
  const refuse = createHostGuard(guard);
  let page: ReturnType<typeof prepared> | undefined;

  return async (request) => {
    const refusal = refuse(request);
    if (refusal) return respond(refusal);
    if (request.method !== "GET" && request.method !== "HEAD") {
      return respond(fail(405, "this path takes GET, HEAD only", { Allow: "GET, HEAD" }));
    }
    if (targetOf(request).path !== CONSOLE_PATH) {
      return new Response(null, { status: 302, headers: { Location: RELATIVE, "Cache-Control": "no-store" } });
    }
    const html = await load();
    page ??= prepared(html);
    if (!takesGzip(request)) return new Response(html, { headers: page.headers });
    return new Response(page.zipped, { headers: { ...page.headers, "Content-Encoding": "gzip" } });
  };
}

const prepared = (html: string) => ({ zipped: Bun.gzipSync(html, { level: 9 }), headers: headersOf(html) });

function takesGzip({ headers }: Request): boolean {
  const offers = (headers.get("Accept-Encoding") ?? "").toLowerCase().split(",");
  return offers.some((offer) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)|$)/.test(offer));
}

function headersOf(html: string): Record<string, string> {
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "no-store",
    Vary: "Accept-Encoding",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": [
      "default-src 'none'",
      `script-src ${hashesOf(html, "script")}`,
      `style-src ${hashesOf(html, "style")}`,
      "connect-src 'self'",
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join("; "),
  };
}

/** Only the scripts of the page run, not an injected one. */
function hashesOf(html: string, element: "script" | "style"): string {
  const contents = [...html.matchAll(new RegExp(`<${element}\\b[^>]*>(.*?)</${element}\\s*>`, "gis"))];
  const hashes = contents.map(([, content = ""]) => `'sha256-${Bun.SHA256.hash(asParsed(content), "base64")}'`);
  return hashes.length === 0 ? "'none'" : [...new Set(hashes)].join(" ");
}

/** A browser hashes the parsed text, in which every line ends with LF. */
const asParsed = (content: string): string => content.replaceAll(/\r\n?/g, "\n");
