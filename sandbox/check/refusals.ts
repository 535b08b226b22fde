import { type Check, check, okIf } from "./check-run.ts";
import { type Ask, Skip, UNKNOWN_ID } from "./service.ts";

/** What must be refused, and how. */

const PUSH = "/stkpush.php";
const LIST = "/transactions.php";
const STATUS = "/status.php";

/** A request that must be refused. @param other another status, with which a service may refuse it for another reason first */
const refusal = (id: string, section: string, status: number, what: string, ask: Ask, other?: number): Check =>
  check(id, section, `${what} is answered with ${status}`, async ({ service, payment }) => {
    // Elsewhere the check only reads, unless a payment is asked for.
    if (ask.json && ask.path === PUSH && service.options.isCareful && !payment)
      throw new Skip({ kind: "needs_payment" });
    const exchange = await service.ask(ask);
    if (other !== undefined && exchange.status === other) throw new Skip({ kind: "refused_before", status: other });
    return okIf(exchange.status === status, exchange, { kind: "answered", status: exchange.status, expected: status });
  });

const inShape = (one: Check): Check => ({ ...one, breaks: "shape" });

export const REFUSAL_CHECKS: readonly Check[] = [
  refusal("auth.stranger-list", "§5", 401, "A list with invalid credentials", { path: LIST, as: "stranger" }),
  refusal("auth.nobody-list", "§5", 401, "A list without credentials", { path: LIST, as: "nobody" }),
  refusal("auth.stranger-status", "§5", 401, "A status with invalid credentials", {
    path: STATUS,
    json: { checkout_request_id: UNKNOWN_ID },
    as: "stranger",
  }),
  // Its body is empty, so that nothing is paid.
  refusal("auth.nobody-push", "§5", 401, "A payment without credentials", { path: PUSH, json: {}, as: "nobody" }, 400),
  inShape(refusal("method.status", "§7", 405, "`GET /status.php`", { path: STATUS, method: "GET" })),
  inShape(refusal("method.push", "§7", 405, "`GET /stkpush.php`", { path: PUSH, method: "GET" })),
  inShape(refusal("method.list", "§7", 405, "`POST /transactions.php`", { path: LIST, json: {} })),
  inShape(refusal("path.unknown", "§7", 404, "A path that does not exist", { path: "/no-such-operation.php" })),
  refusal("bad.no-id", "§7", 400, "A status without `checkout_request_id`", { path: STATUS, json: {} }),
  refusal("bad.id-type", "§7", 400, "A status whose `checkout_request_id` is a number", {
    path: STATUS,
    json: { checkout_request_id: 5 },
  }),
  refusal("bad.no-json", "§7", 400, "A status whose body is not JSON", { path: STATUS, body: "{" }),
  // It cannot reach a phone: it has none.
  refusal("bad.empty-push", "§7", 400, "A payment without any member", { path: PUSH, json: {} }),
];
