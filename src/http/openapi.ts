import type { z } from "zod";
import { answersOf, failureSchema } from "./answers.ts";
import { answerExamples, FAILURE_EXAMPLES, REQUEST_EXAMPLES } from "./examples.ts";
import { checkStatusSchema, listTransactionsSchema, startPaymentSchema } from "./input.ts";
import { jsonSchemaOf, parametersOf } from "./json-schema.ts";
import type { BasePaths } from "./operation.ts";
import type { Profile, RefusalAnswer } from "./profile.ts";

export interface Described {
  readonly basePaths: BasePaths;
  /** The address that the client used, such as `http://127.0.0.1:2547`; empty if it is unknown. */
  readonly origin: string;
  readonly profile: Profile;
  readonly version: string;
}

/** The three operations in OpenAPI 3.1, from the schemas that check requests. */
export function describeApi({ basePaths, origin, profile, version }: Described) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Mobile-money payment collection",
      version,
      description: "Start an STK push payment, poll its status, list transactions.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: basePaths.map((basePath) => ({ url: origin + basePath || "/" })),
    security: [{ apiKey: [], apiSecret: [] }],
    paths: {
      "/stkpush.php": {
        post: {
          operationId: "startPayment",
          summary: "Start a payment: the customer is asked for a PIN",
          parameters: CREDENTIALS,
          requestBody: bodyOf(startPaymentSchema, "/stkpush.php"),
          responses: responsesOf("/stkpush.php", profile),
        },
      },
      "/status.php": {
        post: {
          operationId: "checkStatus",
          summary: "The status of a payment",
          parameters: CREDENTIALS,
          requestBody: bodyOf(checkStatusSchema, "/status.php"),
          responses: responsesOf("/status.php", profile),
        },
      },
      "/transactions.php": {
        get: {
          operationId: "listTransactions",
          summary: "The merchant's transactions, newest first",
          parameters: [...CREDENTIALS, ...parametersOf(listTransactionsSchema, REQUEST_EXAMPLES["/transactions.php"])],
          responses: responsesOf("/transactions.php", profile),
        },
      },
    },
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
        apiSecret: { type: "apiKey", in: "header", name: "X-API-Secret" },
      },
      schemas: { Failure: jsonSchemaOf(failureSchema) },
    },
  };
}

/** Both headers again, as parameters: some converters, such as Postman's, keep only one security scheme of an operation. */
const CREDENTIALS = ["X-API-Key", "X-API-Secret"].map((name) => ({
  name,
  in: "header",
  required: false,
  description: "needed, unless your tool sends it through the security scheme",
  schema: { type: "string" },
}));

type Path = keyof typeof REQUEST_EXAMPLES;

function bodyOf(schema: z.ZodType, path: Path) {
  const content = { schema: jsonSchemaOf(schema, "input"), example: REQUEST_EXAMPLES[path] };
  return { required: true, content: { "application/json": content } };
}

/** The meaning of each failing status (§7). */
const FAILURES: Readonly<Record<string, string>> = {
  400: "Bad request: missing or invalid parameters",
  401: "Unauthorized: invalid API credentials",
  404: "Not found: resource does not exist",
  405: "Method not allowed: use the correct HTTP method",
  500: "Internal server error, or the network did not accept the prompt",
};

function responsesOf(path: Path, profile: Profile) {
  const answer = { schema: jsonSchemaOf(answersOf(profile)[path]), example: answerExamples(profile)[path] };
  const described: Record<string, object> = {
    200: { description: "Success", content: { "application/json": answer } },
  };
  const own = refusalsOf(path, profile).map(({ status, message }) => [status, message] as const);
  for (const [status, message] of [...Object.entries(FAILURE_EXAMPLES[path]), ...own]) {
    const content = { schema: FAILURE, example: { success: false, message } };
    // A profile can refuse with 200.
    described[status] =
      Number(status) === 200
        ? {
            description: "Success, or a refusal",
            content: { "application/json": { schema: { anyOf: [answer.schema, FAILURE] } } },
          }
        : { description: FAILURES[status] ?? "A refusal", content: { "application/json": content } };
  }
  return described;
}

const FAILURE = { $ref: "#/components/schemas/Failure" };

/** The refusals of an operation that a profile has of its own. */
function refusalsOf(path: Path, { invalid_account, unknown_id, bad_filter }: Profile): RefusalAnswer[] {
  const own = { "/stkpush.php": invalid_account, "/status.php": unknown_id, "/transactions.php": bad_filter }[path];
  return own === undefined || own === "ignored" ? [] : [own];
}
