import type { Reply } from "../../src/http/reply.ts";
import { faultKind, type Schemas } from "./kind.ts";

/** In bytes. */
const MAX_BODY = 4096;
const MAX_CUT = 1_000_000;
const MAX_HEADERS = 10;

/** Answers with an error instead of the operation, or after it. */
export const error = faultKind({
  words: "an error",
  members: (schemas) => ({
    status: schemas.z
      .int()
      .refine((status) => status === 200 || (status >= 400 && status <= 599), {
        error: "must be 400 to 599, or 200 for an answer that is broken",
      })
      .describe("of an error; by default 500"),
    carried_out: schemas.z.boolean().describe("whether an error comes after the operation was carried out"),
    message: schemas.line.describe("of the JSON that an error answers with"),
    body: schemas.z
      .string()
      .refine((text) => new TextEncoder().encode(text).length <= MAX_BODY, {
        error: `must have at most ${MAX_BODY} bytes`,
      })
      .refine((text) => text.isWellFormed(), { error: schemas.NOT_WHOLE })
      .describe("instead of JSON, such as an HTML page; may be empty"),
    content_type: schemas.headerValue
      .refine((type) => type.trim() !== "", { error: "must have at least one character" })
      .describe("of body; by default text/plain; charset=utf-8"),
    headers: headersOf(schemas).describe('more headers, such as {"Retry-After": "5"}'),
    cut_after: schemas.count.max(MAX_CUT).describe("how many bytes of the answer are sent; the rest is lost"),
  }),
  usual: { status: 500 },
  check({ status, carried_out, message, body, content_type }, refuse) {
    if (body !== undefined && message !== undefined) refuse("message", "must not be given together with body");
    if (body === undefined && content_type !== undefined) refuse("content_type", "is the type of body: give both");
    if (status === 200 && body === undefined && !carried_out) {
      refuse("status", "must be 400 to 599, unless the operation is carried out or the fault has a body");
    }
  },
  fields: {
    status: { label: "HTTP status", type: "number", first: "503", placeholder: "500" },
  },
  inWords({ status = 500, carried_out, cut_after }) {
    const cut = cut_after === undefined ? "" : `, cut after ${cut_after} bytes`;
    return `HTTP ${status}${carried_out ? ", carried out" : ""}${cut}`;
  },
  async strike(fault, { carryOut, fail }) {
    const { status = 500, message = `fault injected: HTTP ${status}`, body, content_type, cut_after } = fault;
    const own = fault.carried_out ? await carryOut() : null;
    const usual: Reply = status === 200 && body === undefined && own ? own : fail(status, message);
    const headers = new Headers(usual.headers);
    if (body !== undefined) headers.set("Content-Type", content_type ?? "text/plain; charset=utf-8");
    for (const [name, value] of Object.entries(fault.headers ?? {})) headers.set(name, value);
    return { status: usual.status, text: beginningOf(body ?? usual.text, cut_after), headers };
  },
});

/** The server sets these headers itself. */
const SERVERS_HEADERS =
  /^(?:connection|content-length|content-type|date|keep-alive|trailer|transfer-encoding|upgrade)$/i;

function headersOf({ z, headerValue }: Schemas) {
  const name = z
    .string()
    .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, { error: "is not the name of a header" })
    .refine((text) => !SERVERS_HEADERS.test(text), { error: "is set by the server: leave it out" });
  const headers = z
    .record(name, headerValue)
    .refine((sent) => Object.keys(sent).length <= MAX_HEADERS, {
      error: `must have at most ${MAX_HEADERS} headers`,
    })
    .refine((sent) => new Set(Object.keys(sent).map((text) => text.toLowerCase())).size === Object.keys(sent).length, {
      error: "must name each header once: letter case does not matter",
    });
  // zod leaves this name out of every record, without a word.
  return z.preprocess((sent: Readonly<Record<string, string>>, { addIssue }) => {
    if (Object.hasOwn(Object(sent), "__proto__"))
      addIssue({ code: "custom", message: "must not have the name __proto__" });
    return sent;
  }, headers);
}

/** The first bytes of a text, without a part of a character. */
function beginningOf(text: string, bytes: number | undefined): string {
  if (bytes === undefined) return text;
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, bytes), { stream: true });
}
