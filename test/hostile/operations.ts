import fc from "fast-check";
import { OUTCOMES } from "../../sandbox/network/outcomes.ts";

/** Every operation of both APIs, with values that are good, and some that nobody would write. */

export const text = fc.oneof(
  fc.string(),
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme", maxLength: 300 }),
);
const strange = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  text,
  fc.double(),
  fc.bigInt().map(Number),
  fc.constantFrom(null, "", "0", -1, 1e308, [], {}, "__proto__", "\u0000", "𝒳".repeat(200), true),
);
/** Good values mostly, so that what they are members of is taken often enough to matter. */
const mostly = (good: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: strange });

const phone = mostly(fc.constantFrom("0712345678", "254700000032", "254700000100", "254712345678", "0700000500"));
const outcome = mostly(fc.constantFrom(...OUTCOMES.map(({ name }) => name)));
const duration = mostly(fc.constantFrom("0ms", "1ms", "20ms", "3s", "24h", "25h", "-1s", "1e3s", "١s"));
const count = mostly(fc.constantFrom(1, 2, 3, 100));
const money = mostly(fc.constantFrom(1, 100, 99.99, 250_001, 999_999_999.99, 0.5, 99.999));
const label = mostly(text);

/** Each member mostly there, and sometimes one that is unheard of. */
const object = (members: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[] = []) =>
  fc
    .tuple(
      fc.oneof(
        { weight: 2, arbitrary: fc.record(members) },
        { weight: 1, arbitrary: fc.record(members, { requiredKeys }) },
      ),
      fc.oneof(
        { weight: 9, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.dictionary(text, strange, { maxKeys: 2 }) },
      ),
    )
    .map(([known, unknown]) => ({ ...unknown, ...known }));

/** One of several members, as calls have it that take either. */
const either = (members: Record<string, fc.Arbitrary<unknown>>) =>
  fc.oneof(...Object.entries(members).map(([name, value]) => value.map((it) => ({ [name]: it }))));

const order = {
  payment_account_id: mostly(fc.constant(1)),
  phone,
  amount: money,
  reference: label,
  description: label,
};
const rule = object({
  match: object({ phone, amount: money, payment_account_id: count, reference: label }),
  outcome,
  times: count,
});
const delayed = object({ match: object({}), outcome, after: duration }, ["outcome"]);
const fault = fc.oneof(
  object({ path: mostly(fc.constant("/status.php")), kind: fc.constant("error"), status: mostly(fc.constant(503)) }),
  object({ kind: fc.constant("delay"), delay: duration, probability: fc.double(), times: count }),
  object({ kind: mostly(fc.constant("disconnect")), times: count }),
);

export interface Operation {
  readonly method: string;
  readonly path: string | fc.Arbitrary<string>;
  /** What its body is like; without one it takes none. */
  readonly body?: fc.Arbitrary<unknown>;
  readonly allowed: readonly number[];
}

const escaped = (values: fc.Arbitrary<string>) => values.filter((it) => it.isWellFormed()).map(encodeURIComponent);
export const segment = escaped(text);
const filters = fc
  .array(
    fc.oneof(
      ...["page", "limit", "type", "status", "date_from", "date_to", "search", "id", "other"].map((name) =>
        segment.map((value) => `${name}=${value}`),
      ),
      fc.constantFrom("page=2", "limit=100", "type=API", "status=failed", "date_from=2026-01-01", "date_to=9999-12-31"),
      fc.constantFrom("search=07", "search=%25", "search=ws_CO_", "id=1", "id=-1", "page=9007199254740991"),
    ),
    { maxLength: 3 },
  )
  .map((pairs) => pairs.join("&"));

/** Each with the statuses that it documents; 500 is the network that does not take a prompt (§4.1). `id` is one of a payment. */
export const operations = (id: fc.Arbitrary<string>): Readonly<Record<string, Operation>> => ({
  "POST /stkpush.php": { method: "POST", path: "/v2/stkpush.php", body: object(order), allowed: [200, 400, 401, 500] },
  "POST /status.php": {
    method: "POST",
    path: "/v2/status.php",
    body: object({ checkout_request_id: mostly(id) }),
    allowed: [200, 400, 401, 404],
  },
  "GET /transactions.php": {
    method: "GET",
    path: filters.map((query) => `/v2/transactions.php?${query}`),
    allowed: [200, 400, 401, 404],
  },
  "GET /_momo/prompts": {
    method: "GET",
    path: fc.oneof(fc.constant("0700000100"), segment).map((it) => `/_momo/prompts?phone=${it}`),
    allowed: [200, 400],
  },
  "POST /_momo/prompts/ID/answer": {
    method: "POST",
    path: fc.oneof(id, segment).map((it) => `/_momo/prompts/${it}/answer`),
    body: either({ pin: mostly(fc.constantFrom("1234", "0000", "12345")), outcome }),
    allowed: [200, 400, 404, 409],
  },
  "POST /_momo/rules": {
    method: "POST",
    path: "/_momo/rules",
    body: fc.oneof(rule, delayed, fc.array(rule, { maxLength: 3 })),
    allowed: [200, 400],
  },
  "PUT /_momo/rules": {
    method: "PUT",
    path: "/_momo/rules",
    body: object({ rules: fc.array(fc.oneof(rule, delayed), { maxLength: 3 }) }, ["rules"]),
    allowed: [200, 400],
  },
  "DELETE /_momo/rules": { method: "DELETE", path: "/_momo/rules", allowed: [200] },
  "POST /_momo/wait": {
    method: "POST",
    path: "/_momo/wait",
    body: fc
      .tuple(
        either({ checkout_request_id: mostly(id), reference: label }),
        object(
          {
            until: mostly(fc.constantFrom("final", "pending", "completed", "failed", "cancelled", "expired")),
            timeout: mostly(fc.constantFrom("0ms", "5ms")),
          },
          ["timeout"],
        ),
      )
      .map(([which, how]) => ({ ...which, ...how })),
    allowed: [200, 400, 404, 408],
  },
  "PUT /_momo/faults": {
    method: "PUT",
    path: "/_momo/faults",
    body: object({ seed: count, faults: fc.array(fault, { maxLength: 3 }) }, ["faults"]),
    allowed: [200, 400],
  },
  "DELETE /_momo/faults": { method: "DELETE", path: "/_momo/faults", allowed: [200] },
  "GET /_momo/requests": {
    method: "GET",
    path: fc
      .tuple(
        fc.constantFrom("format", "after", "before", "limit"),
        fc.oneof(fc.constant("json"), fc.nat(2000).map(String), segment),
      )
      .map(([name, value]) => `/_momo/requests?${name}=${value}`),
    allowed: [200, 400],
  },
  "POST /_momo/payments": {
    method: "POST",
    path: "/_momo/payments",
    body: object({ ...order, kind: mostly(fc.constantFrom("api", "web", "wallet_deposit", "credit_topup")), outcome }, [
      "kind",
    ]),
    allowed: [200, 400, 500],
  },
  "POST /_momo/merchants": {
    method: "POST",
    path: "/_momo/merchants",
    body: object({ name: label }),
    allowed: [200, 400],
  },
  "POST /_momo/accounts": {
    method: "POST",
    path: "/_momo/accounts",
    body: object({ name: label, fee: mostly(fc.constantFrom("1%", "10", "1.5%+10", "101%")), merchant_id: count }, [
      "name",
    ]),
    allowed: [200, 400, 404],
  },
  "POST /_momo/keys": {
    method: "POST",
    path: "/_momo/keys",
    body: object({ label, merchant_id: count }, ["label"]),
    allowed: [200, 400, 404],
  },
  "POST /_momo/clock": {
    method: "POST",
    path: "/_momo/clock",
    body: either({ freeze: mostly(fc.constant(true)), advance: duration, resume: mostly(fc.constant(true)) }),
    allowed: [200, 400],
  },
  "GET /_momo/messages": {
    method: "GET",
    path: fc.oneof(fc.constant("0712345678"), segment).map((it) => `/_momo/messages?phone=${it}`),
    allowed: [200, 400],
  },
  "PUT /_momo/default": {
    method: "PUT",
    path: "/_momo/default",
    body: object({ outcome, after: duration }, ["outcome"]),
    allowed: [200, 400],
  },
  "GET /_momo/transactions": {
    method: "GET",
    path: fc
      .tuple(filters, fc.oneof(fc.constantFrom("1", "2"), segment))
      .map(([query, merchant]) => `/_momo/transactions?${query}&merchant_id=${merchant}`),
    allowed: [200, 400, 404],
  },
  "GET /_momo/transactions/ID": {
    method: "GET",
    path: fc.oneof(id, segment).map((it) => `/_momo/transactions/${it}`),
    // 400: a segment of dots, or with a backslash.
    allowed: [200, 400, 404],
  },
  "GET /_momo/keys": {
    method: "GET",
    path: fc
      .tuple(fc.constantFrom("merchants", "accounts", "keys"), fc.oneof(fc.constantFrom("1", "2"), segment))
      .map(([what, merchant]) => `/_momo/${what}?merchant_id=${merchant}`),
    allowed: [200, 400, 404],
  },
  "DELETE /_momo/keys/API_KEY": {
    method: "DELETE",
    path: segment.map((it) => `/_momo/keys/mk_${it}`),
    allowed: [400, 404],
  },
  "POST /_momo/reset": { method: "POST", path: "/_momo/reset", body: object({}), allowed: [200, 400] },
});
