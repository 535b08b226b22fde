import { answersOf } from "./answers.ts";
import { describe, describeCall, FAILURE, json, jsonSchemaOf } from "./description.ts";
import { answerExamples, FAILURE_EXAMPLES, REQUEST_EXAMPLES } from "./examples.ts";
import type { Operation } from "./operation.ts";
import { OPERATIONS } from "./operations.ts";
import type { BasePaths } from "./paths.ts";
import type { Profile } from "./profile.ts";

interface Described {
  readonly basePaths: BasePaths;
  /** The address that the client used, such as `http://127.0.0.1:2547`; empty if it is unknown. */
  readonly origin: string;
  readonly profile: Profile;
  readonly version: string;
}

/** The three operations in OpenAPI 3.1, from the schemas that check requests. */
export const describeApi = ({ basePaths, origin, profile, version }: Described) =>
  describe({
    info: {
      title: "Mobile-money payment collection",
      version,
      description: "Start an STK push payment, poll its status, list transactions.",
    },
    servers: basePaths.map((basePath) => ({ url: origin + basePath || "/" })),
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
  });

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
  const answer = jsonSchemaOf(answersOf(profile)[path]);
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
