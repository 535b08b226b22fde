import type { ClientRequest } from "../facts/request.ts";
import { requestRule, type Verdict } from "../rule.ts";

/** Headers of other services that make a repeated request harmless. */
const HEADERS = ["Idempotency-Key", "X-Idempotency-Key", "Idempotency-Token", "X-Idempotency-Token"];

export const idempotencyKey = requestRule({
  kind: "idempotency_key",
  severity: "note",
  section: "§4.1",
  label: "idempotency key",
  advice: "Leave it out, and never repeat a push whose outcome is unknown.",
  judges: "requests",
  of: ["push"],
  judge(request): Verdict | null {
    const name = keyIn(request);
    return name === null ? null : { group: name };
  },
  explain: ({ call }, { group }) => ({
    message: `The client sends “${group}”, which the service ignores: a push that is repeated with the same key is a second payment.`,
    requestIds: [call.id],
    payment: null,
    atMs: call.atMs,
  }),
});

function keyIn({ call: { headers } }: ClientRequest): string | null {
  for (const name of HEADERS) if (headers.has(name)) return name;
  return null;
}
