import fc from "fast-check";
import { OUTCOMES } from "../../sandbox/network/outcomes.ts";
import type { Served } from "../support/momo.ts";
import { expectSound, type Sent } from "./live.ts";
import { type Operation, operations, segment, text } from "./operations.ts";

/** Drawn requests, good and bad, to every operation of both APIs. */

export interface Runs {
  readonly numRuns: number;
  readonly seed: number;
}

/** Sends drawn input, and checks every answer. @throws fast-check's report, with the seed and the path */
export type Property = (server: Served, runs: Runs) => Promise<void>;

/** As JSON, or as a text similar to JSON. */
const written = (body: fc.Arbitrary<unknown>): fc.Arbitrary<string | Uint8Array<ArrayBuffer>> =>
  fc.oneof(
    { weight: 8, arbitrary: body.map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: body.map((value) => JSON.stringify(value).slice(0, -1)) },
    { weight: 1, arbitrary: text },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)) },
  );

const contentType = fc.oneof(
  { weight: 9, arbitrary: fc.constant("application/json") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "text/plain",
      "application/json; charset=utf-16",
      "application/x-www-form-urlencoded",
      "",
    ),
  },
);

/** A valid value of a header, which may be wrong for this header. */
const headerValue = fc.oneof(
  fc.stringMatching(/^[\x21-\x7e]{1,60}$/),
  fc.constantFrom(...OUTCOMES.map(({ name }) => name)),
);
const rarely = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 14, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });

function requestsTo(operation: Operation, { ready }: Served): fc.Arbitrary<Sent> {
  const { method, target, body } = operation;
  return fc.record({
    method: fc.constant(method),
    target,
    headers: fc.tuple(contentType, rarely(headerValue), rarely(headerValue)).map(([type, instruction, key]) => ({
      "X-API-Key": key ?? ready.api_key,
      "X-API-Secret": ready.api_secret,
      ...(body && { "Content-Type": type }),
      ...(instruction !== null && { "X-Sandbox-Outcome": instruction }),
    })),
    ...(body && { body: written(body) }),
  });
}

/** A property for each operation, so that each is drawn often. */
const ofOperations: Record<string, Property> = Object.fromEntries(
  [...operations(fc.constant("")).keys()].map((name) => {
    const property: Property = async (server, runs) => {
      const operation = operations(fc.constantFrom(...(await startSome(server)))).get(name) as Operation;
      const holds = fc.asyncProperty(requestsTo(operation, server), (sent) =>
        expectSound(server, sent, operation.allowed),
      );
      await fc.assert(holds, { ...runs, ...LIMIT });
    };
    return [name, property];
  }),
);

const LIMIT = { interruptAfterTimeLimit: 120_000, markInterruptAsFailure: true };

/** Starts payments: most of them wait for an answer. */
async function startSome({ ready, post }: Served): Promise<string[]> {
  // Faults that were drawn before would break these payments.
  await fetch(`${ready.control_url}/faults`, { method: "DELETE" });
  const phones = ["0700000100", "0700000100", "0712345678", "0700000100"];
  return Promise.all(
    phones.map(async (phone) => {
      const answer = await post("/stkpush.php", { payment_account_id: 1, phone, amount: 1 });
      return ((await answer.json()) as { checkout_request_id: string }).checkout_request_id;
    }),
  );
}

/** The paths whose answers have no `success` and `message`. */
const DOCUMENTS = /^\/+(?:openapi\.json|_momo\/*(?:events)?)?$/;

/** Any method at any path, near the ones that exist and far from them. */
const anywhere: Property = async (server, runs) => {
  const near = ["/v2/", "/_momo/", "/v2/stkpush.php/", "/v2/stkpush.php?", "/_momo/keys/mk_"];
  const target = fc
    .oneof(
      fc.webPath().map((path) => (path.startsWith("/") ? path : `/${path}`)),
      fc.tuple(fc.constantFrom(...near), segment).map((parts) => parts.join("")),
    )
    // As it is sent: `/_momo/.` is `/_momo/`.
    .filter((path) => !DOCUMENTS.test(new URL(`http://localhost${path}`).pathname));
  const method = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD");
  const holds = fc.asyncProperty(fc.record({ method, target }), (sent) =>
    expectSound(server, sent, [200, 400, 401, 404, 405]),
  );
  await fc.assert(holds, { ...runs, ...LIMIT });
};

export const REQUESTS: Readonly<Record<string, Property>> = { ...ofOperations, "any method at any path": anywhere };
