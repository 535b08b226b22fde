import fc from "fast-check";
import { OUTCOMES } from "../../sandbox/network/outcomes.ts";

/** Every operation of both APIs, with good values and strange ones. */

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
/** Mostly good values, so that many requests are accepted. */
const mostly = (good: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: strange });

const phone = mostly(fc.constantFrom("0712345678", "254700000032", "254700000100", "254712345678", "0700000500"));
const outcome = mostly(fc.constantFrom(...OUTCOMES.map(({ name }) => name)));
const duration = mostly(fc.constantFrom("0ms", "1ms", "20ms", "3s", "24h", "25h", "-1s", "1e3s", "١s"));
const count = mostly(fc.constantFrom(1, 2, 3, 100));
const money = mostly(fc.constantFrom(1, 100, 99.99, 250_001, 999_999_999.99, 0.5, 99.999));
const label = mostly(text);

/** Members are mostly there, and sometimes there is an unknown one. */
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

/** One of several members, for operations that accept exactly one. */
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
  readonly target: fc.Arbitrary<string>;
  /** Absent if the operation has no body. */
  readonly body?: fc.Arbitrary<unknown>;
  /** The statuses that the operation documents. */
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
const phoneSegment = fc.oneof(fc.constant("0700000100"), segment);
const merchantSegment = fc.oneof(fc.constantFrom("1", "2"), segment);
const kind = mostly(fc.constantFrom("api", "web", "wallet_deposit", "credit_topup"));
const until = mostly(fc.constantFrom("final", "pending", "completed", "failed", "cancelled", "expired"));
const shortTimeout = mostly(fc.constantFrom("0ms", "5ms"));

interface Description extends Pick<Operation, "body" | "allowed"> {
  /** The path and the query, without the base path; by default the path in the operation's name. */
  readonly target?: fc.Arbitrary<string>;
}

/** @param id the checkout request ids of some payments */
const descriptions = (id: fc.Arbitrary<string>): Readonly<Record<string, Description>> => ({
  // 500: the network refuses the prompt (§4.1).
  "POST /v2/stkpush.php": { body: object(order), allowed: [200, 400, 401, 500] },
  "POST /v2/status.php": { body: object({ checkout_request_id: mostly(id) }), allowed: [200, 400, 401, 404] },
  "GET /v2/transactions.php": {
    target: filters.map((query) => `/v2/transactions.php?${query}`),
    allowed: [200, 400, 401, 404],
  },
  "GET /_momo/prompts": { target: phoneSegment.map((it) => `/_momo/prompts?phone=${it}`), allowed: [200, 400] },
  "POST /_momo/prompts/ID/answer": {
    target: fc.oneof(id, segment).map((it) => `/_momo/prompts/${it}/answer`),
    body: either({ pin: mostly(fc.constantFrom("1234", "0000", "12345")), outcome }),
    allowed: [200, 400, 404, 409],
  },
  "POST /_momo/rules": { body: fc.oneof(rule, delayed, fc.array(rule, { maxLength: 3 })), allowed: [200, 400] },
  "PUT /_momo/rules": {
    body: object({ rules: fc.array(fc.oneof(rule, delayed), { maxLength: 3 }) }, ["rules"]),
    allowed: [200, 400],
  },
  "DELETE /_momo/rules": { allowed: [200] },
  "POST /_momo/wait": {
    body: fc
      .tuple(
        either({ checkout_request_id: mostly(id), reference: label }),
        object({ until, timeout: shortTimeout }, ["timeout"]),
      )
      .map(([which, how]) => ({ ...which, ...how })),
    allowed: [200, 400, 404, 408],
  },
  "PUT /_momo/faults": {
    body: object({ seed: count, faults: fc.array(fault, { maxLength: 3 }) }, ["faults"]),
    allowed: [200, 400],
  },
  "DELETE /_momo/faults": { allowed: [200] },
  "GET /_momo/requests": {
    target: fc
      .tuple(
        fc.constantFrom("format", "after", "before", "limit"),
        fc.oneof(fc.constant("json"), fc.nat(2000).map(String), segment),
      )
      .map(([name, value]) => `/_momo/requests?${name}=${value}`),
    allowed: [200, 400],
  },
  "POST /_momo/payments": { body: object({ ...order, kind, outcome }, ["kind"]), allowed: [200, 400, 500] },
  "POST /_momo/merchants": { body: object({ name: label }), allowed: [200, 400] },
  "POST /_momo/accounts": {
    body: object({ name: label, fee: mostly(fc.constantFrom("1%", "10", "1.5%+10", "101%")), merchant_id: count }, [
      "name",
    ]),
    allowed: [200, 400, 404],
  },
  "POST /_momo/keys": { body: object({ label, merchant_id: count }, ["label"]), allowed: [200, 400, 404] },
  "POST /_momo/clock": {
    body: either({ freeze: mostly(fc.constant(true)), advance: duration, resume: mostly(fc.constant(true)) }),
    allowed: [200, 400],
  },
  "GET /_momo/messages": { target: phoneSegment.map((it) => `/_momo/messages?phone=${it}`), allowed: [200, 400] },
  "PUT /_momo/default": { body: object({ outcome, after: duration }, ["outcome"]), allowed: [200, 400] },
  "GET /_momo/transactions": {
    target: fc
      .tuple(filters, merchantSegment)
      .map(([query, merchant]) => `/_momo/transactions?${query}&merchant_id=${merchant}`),
    allowed: [200, 400, 404],
  },
  // 400: a segment of dots, or with a backslash.
  "GET /_momo/transactions/ID": {
    target: fc.oneof(id, segment).map((it) => `/_momo/transactions/${it}`),
    allowed: [200, 400, 404],
  },
  "GET /_momo/keys": {
    target: fc
      .tuple(fc.constantFrom("merchants", "accounts", "keys"), merchantSegment)
      .map(([what, merchant]) => `/_momo/${what}?merchant_id=${merchant}`),
    allowed: [200, 400, 404],
  },
  "DELETE /_momo/keys/API_KEY": { target: segment.map((it) => `/_momo/keys/mk_${it}`), allowed: [400, 404] },
  "POST /_momo/reset": { body: object({}), allowed: [200, 400] },
});

/** Every operation by its name. */
export function operations(id: fc.Arbitrary<string>): ReadonlyMap<string, Operation> {
  return new Map(
    Object.entries(descriptions(id)).map(([name, description]) => {
      const [method = "", path = ""] = name.split(" ");
      return [name, { target: fc.constant(path), ...description, method }];
    }),
  );
}
