import { type Reply, respond } from "../../src/http/reply.ts";

/** What a browser must not do with an answer of the control API: guess what it is, show it in a frame, hand it to another site. */
const HEADERS = {
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** Adds them where the answer does not say otherwise itself. */
export function withSecurityHeaders(answer: Reply | Response): Response {
  const response = answer instanceof Response ? answer : respond(answer);
  for (const [name, value] of Object.entries(HEADERS)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return response;
}
