import { z } from "zod";
import { ANSWERS, failureSchema } from "./answers.ts";
import { answerExamples, FAILURE_EXAMPLES, REQUEST_EXAMPLES } from "./examples.ts";
import { checkStatusSchema, listTransactionsSchema, startPaymentSchema } from "./input.ts";
import type { BasePaths } from "./operation.ts";
import type { ResponseForm } from "./view.ts";

export interface Described {
  readonly basePaths: BasePaths;
  /** How the caller reached the server, such as `http://127.0.0.1:2547`; empty where that is not known. */
  readonly origin: string;
  readonly form: ResponseForm;
  readonly version: string;
}

/** The three operations in OpenAPI 3.1, made from the schemas that requests are held against. */
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
          summary: "What has become of a payment",
          parameters: CREDENTIALS,
          requestBody: bodyOf(checkStatusSchema, "/status.php"),
          responses: answersOf("/status.php", form),
        },
      },
      "/transactions.php": {
        get: {
          operationId: "listTransactions",
          summary: "The merchant's transactions, newest first",
          parameters: [...CREDENTIALS, ...parametersOf(listTransactionsSchema)],
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

/** Both headers once more: converters such as Postman's keep one security scheme of an operation, and drop the others. */
const CREDENTIALS = ["X-API-Key", "X-API-Secret"].map((name) => ({
  name,
  in: "header",
  required: false,
  description: "needed; leave it out where your tool sends it by the security scheme",
  schema: { type: "string" },
}));

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

type Path = keyof typeof REQUEST_EXAMPLES;

function bodyOf(schema: z.ZodType, path: Path) {
  const content = { schema: schemaOf(schema, "input"), example: REQUEST_EXAMPLES[path] };
  return { required: true, content: { "application/json": content } };
}

function parametersOf(schema: z.ZodType) {
  const examples: Record<string, unknown> = REQUEST_EXAMPLES["/transactions.php"];
  const { properties = {} } = schemaOf(schema, "input");
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as Exclude<typeof property, boolean>;
    return {
      name,
      in: "query",
      required: false,
      ...(description !== undefined && { description }),
      schema: rest,
      example: examples[name],
    };
  });
}

/** What a failing status means (§7). */
const FAILURES: Readonly<Record<string, string>> = {
  400: "Bad request: missing or invalid parameters",
  401: "Unauthorized: invalid API credentials",
  404: "Not found: resource does not exist",
  405: "Method not allowed: use the correct HTTP method",
  500: "Internal server error, or the network did not take the prompt",
};

function answersOf(path: Path, form: ResponseForm) {
  const schema = ANSWERS[form][path];
  if (!schema) throw new Error(`no answer is described for ${path}`);
  const answer = { schema: schemaOf(schema), example: answerExamples(form)[path] };
  const failures = Object.entries(FAILURE_EXAMPLES[path]).map(([status, message]) => {
    const content = { schema: { $ref: "#/components/schemas/Failure" }, example: { success: false, message } };
    return [status, { description: FAILURES[status], content: { "application/json": content } }];
  });
  return {
    200: { description: "Success", content: { "application/json": answer } },
    ...Object.fromEntries(failures),
  };
}
