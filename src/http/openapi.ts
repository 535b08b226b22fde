import { FILTER_NAMES, filterOf } from "../domain/filters.ts";
import { NOT_TAKEN } from "../domain/provider.ts";
import type { CompletedTransaction } from "../domain/transaction.ts";
import { INVALID_CREDENTIALS } from "../service/authenticate.ts";
import { answersOf } from "./answers.ts";
import { describe, describeCall, FAILURE, json, jsonSchemaOf } from "./description.ts";
import { orderOf } from "./input.ts";
import { NOTHING, OPERATIONS, type Operation } from "./operations.ts";
import type { BasePaths } from "./paths.ts";
import type { Profile } from "./profile.ts";
import { listMessage, listView, STARTED, startedView, statusView } from "./view.ts";

/** @param origin the address that the client used; empty if it is unknown */
export const serversOf = (basePaths: BasePaths, origin: string) =>
  basePaths.map((basePath) => ({ url: origin + basePath || "/" }));

/** The three operations in OpenAPI 3.1, without their addresses, from the schemas that check requests. It takes milliseconds. */
export const describeApi = (profile: Profile, version: string) => {
  const description = {
    info: {
      title: "Mobile-money payment collection",
      version,
      description: "Start an STK push payment, poll its status, list transactions.",
    },
    security: [{ apiKey: [], apiSecret: [] }],
    paths: Object.fromEntries(
      OPERATIONS.map((operation) => [
        operation.path,
        { [operation.method.toLowerCase()]: describeOperation(operation, profile) },
      ]),
    ),
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
        apiSecret: { type: "apiKey", in: "header", name: "X-API-Secret" },
      },
    },
  };
  return describe(description, { Transaction: listSchemas(profile).transaction });
};

const TRANSACTION = { $ref: "#/components/schemas/Transaction" };

/** The schema of the list's answer, in which a transaction has a name: generated clients then have a type for it. */
function listSchemas(profile: Profile) {
  const answer = jsonSchemaOf(answersOf(profile)["/transactions.php"]);
  const properties = answer.properties as Record<string, { readonly items?: object }>;
  const name = properties.transactions ? "transactions" : "data";
  const array = properties[name];
  return {
    transaction: array?.items,
    answer: { ...answer, properties: { ...properties, [name]: { ...array, items: TRANSACTION } } },
  };
}

const answerSchema = (path: Operation["path"], profile: Profile) =>
  path === "/transactions.php" ? listSchemas(profile).answer : jsonSchemaOf(answersOf(profile)[path]);

/** Both headers again, as parameters: some converters, such as Postman's, keep only one security scheme of an operation. */
const CREDENTIALS = ["X-API-Key", "X-API-Secret"].map((name) => ({
  name,
  in: "header",
  required: false,
  description: "needed, unless your tool sends it through the security scheme",
  schema: { type: "string" },
}));

function describeOperation(operation: Operation, profile: Profile) {
  const { path, method, operationId, summary, schema } = operation;
  const example = REQUEST_EXAMPLES[path];
  const input = method === "GET" ? { query: schema } : { body: { schema, example } };
  return describeCall({ operationId, summary, ...input }, responsesOf(operation, profile), CREDENTIALS, example);
}

/** The meaning of each failing status (§7). */
const FAILURES: Readonly<Record<string, string>> = {
  400: "Bad request: missing or invalid parameters",
  401: "Unauthorized: invalid API credentials",
  404: "Not found: resource does not exist",
  405: "Method not allowed: use the correct HTTP method",
  500: "Internal server error, or the network did not accept the prompt",
};

function responsesOf({ path, refusedBy }: Operation, profile: Profile) {
  const answer = answerSchema(path, profile);
  const described: Record<string, object> = {
    200: { description: "Success", content: json(answer, answerExamples(profile)[path]) },
  };
  const own = (["account", "not_found", "invalid"] as const).flatMap((kind) => refusedBy(profile, kind) ?? []);
  const examples = Object.entries(FAILURE_EXAMPLES[path]);
  for (const [status, message] of [...examples, ...own.map(({ status, message }) => [status, message] as const)]) {
    // A profile can refuse with 200.
    described[status] =
      Number(status) === 200
        ? { description: "Success, or a refusal", content: json({ anyOf: [answer, FAILURE] }) }
        : { description: FAILURES[status] ?? "A refusal", content: json(FAILURE, { success: false, message }) };
  }
  return described;
}

/** The examples of the OpenAPI description: one payment, from its start to the list. */

const CREATED_AT_MS = Date.UTC(2026, 10, 20, 7, 0, 0);

/** The body of each operation, or the parameters of its query. */
export const REQUEST_EXAMPLES = {
  "/stkpush.php": {
    payment_account_id: 1,
    phone: "0712345678",
    amount: 19.99,
    reference: "ORDER-0001",
    description: "Two coffees",
  },
  "/status.php": { checkout_request_id: "ws_CO_20112026100000_4H7ZQ2M9XKTA0B5FDGN1" },
  "/transactions.php": {
    page: 1,
    limit: 10,
    ...Object.fromEntries(FILTER_NAMES.map((name) => [name, filterOf(name).example])),
  },
} as const;

const completed: CompletedTransaction = {
  ...orderOf(REQUEST_EXAMPLES["/stkpush.php"]),
  id: 1,
  merchantId: 1,
  kind: "api",
  feeCents: 20,
  checkoutRequestId: REQUEST_EXAMPLES["/status.php"].checkout_request_id,
  merchantRequestId: "ws_MR_20112026100000_8PWC3E6RVJ0N7S2YTM4K",
  createdAtMs: CREATED_AT_MS,
  expiresAtMs: CREATED_AT_MS + 60_000,
  status: "completed",
  transactionCode: "T00000000001",
  receiptNumber: "UKK001DAN1",
  resultCode: 0,
  resultDesc: "The service request is processed successfully.",
  completedAtMs: CREATED_AT_MS + 3000,
  memo: "",
};
const summary = {
  ...NOTHING.summary,
  totalItems: 1,
  completedAmountCents: completed.amountCents,
  completedCount: 1,
};
const input = { page: 1, limit: 10, type: "api", status: "completed", search: "0712" } as const;

/** The answer of each operation with 200. */
export function answerExamples(profile: Profile): Record<keyof typeof REQUEST_EXAMPLES, object> {
  return {
    "/stkpush.php": success(STARTED, startedView(completed, profile)),
    "/status.php": success("the payment is completed", statusView(completed, profile)),
    "/transactions.php": success(listMessage(summary), listView({ rows: [completed], summary }, input, profile)),
  };
}

const success = (message: string, members: object) => ({ success: true, message, ...members });

/** An example of the message for each status with which an operation fails. */
const FAILURE_EXAMPLES: Record<keyof typeof REQUEST_EXAMPLES, Readonly<Record<number, string>>> = {
  "/stkpush.php": failing("POST", {
    400:
      "payment_account_id must be a whole number, the id of a payment account of yours; " +
      'it is a string, "1"; amount is missing: it must be a number from 1 to 999999999.99 with at most two decimals',
    500: `${NOT_TAKEN}: the network does not take the prompt`,
  }),
  "/status.php": failing("POST", {
    400: "checkout_request_id is missing: it must be a string of 1 to 100 characters",
    404: "checkout_request_id is not that of a payment of yours",
  }),
  "/transactions.php": failing("GET", {
    400: 'limit must be a whole number from 1 to 100; it is "500"',
    404: "there is no transaction of yours with this id",
  }),
};

function failing(method: string, own: Readonly<Record<number, string>>) {
  const all = { 401: INVALID_CREDENTIALS, 405: `this operation takes ${method} only`, 500: "internal server error" };
  return { ...all, ...own };
}
