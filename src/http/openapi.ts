import { z } from "zod";
import { ANSWERS, failureSchema } from "./answers.ts";
import { checkStatusSchema, listTransactionsSchema, startPaymentSchema } from "./input.ts";
import type { ResponseForm } from "./view.ts";

/**
 * The three operations in OpenAPI 3.1, made from the schemas that requests are held against.
 * @param basePath what stands before the paths of the operations
 */
export function describeApi(basePath: string, form: ResponseForm, version: string) {
  return {
    openapi: "3.1.0",
    info: {
      title: "Mobile-money payment collection",
      version,
      description: "Start an STK push payment, poll its status, list transactions.",
    },
    servers: [{ url: basePath === "" ? "/" : basePath }],
    security: [{ apiKey: [], apiSecret: [] }],
    paths: {
      "/stkpush.php": {
        post: {
          operationId: "startPayment",
          summary: "Start a payment: the customer is asked for a PIN",
          requestBody: bodyOf(startPaymentSchema),
          responses: answersOf("/stkpush.php", form),
        },
      },
      "/status.php": {
        post: {
          operationId: "checkStatus",
          summary: "What has become of a payment",
          requestBody: bodyOf(checkStatusSchema),
          responses: answersOf("/status.php", form),
        },
      },
      "/transactions.php": {
        get: {
          operationId: "listTransactions",
          summary: "The merchant's transactions, newest first",
          parameters: parametersOf(listTransactionsSchema),
          responses: answersOf("/transactions.php", form),
        },
      },
    },
    components: {
      securitySchemes: {
        apiKey: { type: "apiKey", in: "header", name: "X-API-Key" },
        apiSecret: { type: "apiKey", in: "header", name: "X-API-Secret" },
      },
      schemas: { Failure: schemaOf(failureSchema) },
    },
  };
}

function schemaOf(schema: z.ZodType, io: "input" | "output" = "output") {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, override: describeInstead });
  return rest;
}

/** A query is text, but means numbers: where a schema says how it is to be described, the description is that. */
function describeInstead({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }): void {
  const described = z.globalRegistry.get(zodSchema)?.described;
  if (typeof described !== "object" || described === null) return;
  for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
  Object.assign(jsonSchema, described);
}

function bodyOf(schema: z.ZodType) {
  return { required: true, content: { "application/json": { schema: schemaOf(schema, "input") } } };
}

function parametersOf(schema: z.ZodType) {
  const { properties = {} } = schemaOf(schema, "input");
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: "query",
    required: false,
    schema: property,
  }));
}

/** How each operation can fail. */
const FAILURES = {
  400: "Bad request: missing or invalid parameters",
  401: "Unauthorized: invalid API credentials",
  404: "Not found: resource does not exist",
  405: "Method not allowed: use the correct HTTP method",
  500: "Internal server error, or the network did not take the prompt",
};

function answersOf(path: string, form: ResponseForm) {
  const schema = ANSWERS[form][path];
  if (!schema) throw new Error(`no answer is described for ${path}`);
  const failure = { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } };
  return {
    200: { description: "Success", content: { "application/json": { schema: schemaOf(schema) } } },
    ...Object.fromEntries(
      Object.entries(FAILURES).map(([status, description]) => [status, { description, content: failure }]),
    ),
  };
}
