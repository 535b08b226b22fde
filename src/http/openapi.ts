import type { z } from "zod";
import { ANSWERS, failureSchema, type ResponseForm } from "./answers.ts";
import { answerExamples, FAILURE_EXAMPLES, REQUEST_EXAMPLES } from "./examples.ts";
import { checkStatusSchema, listTransactionsSchema, startPaymentSchema } from "./input.ts";
import { jsonSchemaOf, parametersOf } from "./json-schema.ts";
import type { BasePaths } from "./operation.ts";

export interface Described {
  readonly basePaths: BasePaths;
  /** The address that the client used, such as `http://127.0.0.1:2547`; empty if it is unknown. */
  readonly origin: string;
  readonly form: ResponseForm;
  readonly version: string;
}

/** The three operations in OpenAPI 3.1, from the schemas that check requests. */
export function describeApi({ basePaths, origin, form, version }: Described) {
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
          responses: answersOf("/stkpush.php", form),
        },
      },
      "/status.php": {
        post: {
          operationId: "checkStatus",
          summary: "The status of a payment",
          parameters: CREDENTIALS,
          requestBody: bodyOf(checkStatusSchema, "/status.php"),
          responses: answersOf("/status.php", form),
        },
      },
      "/transactions.php": {
        get: {
          operationId: "listTransactions",
          summary: "The merchant's transactions, newest first",
          parameters: [...CREDENTIALS, ...parametersOf(listTransactionsSchema, REQUEST_EXAMPLES["/transactions.php"])],
          responses: answersOf("/transactions.php", form),
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

function answersOf(path: Path, form: ResponseForm) {
  const answer = { schema: jsonSchemaOf(ANSWERS[form][path]), example: answerExamples(form)[path] };
  const failures = Object.entries(FAILURE_EXAMPLES[path]).map(([status, message]) => {
    const content = { schema: { $ref: "#/components/schemas/Failure" }, example: { success: false, message } };
    return [status, { description: FAILURES[status], content: { "application/json": content } }];
  });
  return {
    200: { description: "Success", content: { "application/json": answer } },
    ...Object.fromEntries(failures),
  };
}
