import { failureSchema, succeeded } from "../../src/http/answers.ts";
import { jsonSchemaOf, parametersOf } from "../../src/http/json-schema.ts";
import { type Calls, CONTROL_PATH, type DescribedCall } from "./context.ts";

export interface DescribedServer {
  /** The origin that the caller used, such as `http://127.0.0.1:2547`; empty if it is not known. */
  readonly origin: string;
  readonly version: string;
}

/**
 * The control API in OpenAPI 3.1.
 * @param calls by path and method; this description and `HEAD` are left out
 */
export function describeControl(calls: Calls, { origin, version }: DescribedServer) {
  const paths = Object.entries(calls).filter(([path]) => path !== "/openapi.json");
  return {
    openapi: "3.1.0",
    info: {
      title: "momo's control API",
      version,
      description: "Steer the sandbox, and see what happened in it.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: origin + CONTROL_PATH }],
    // The token is optional: a server may have none.
    security: [{}, { controlToken: [] }],
    paths: Object.fromEntries(
      paths.map(([path, methods]) => [
        path.replace(ID, "{$&}").toLowerCase(),
        Object.fromEntries(
          Object.entries(methods)
            .filter(([method]) => method !== "HEAD")
            .map(([method, call]) => [method.toLowerCase(), operationOf(path, call)]),
        ),
      ]),
    ),
    components: {
      securitySchemes: { controlToken: { type: "http", scheme: "bearer" } },
      schemas: { Failure: jsonSchemaOf(failureSchema) },
    },
  };
}

/** The part of a path that stands for an id. */
const ID = /[A-Z_]+/;

function operationOf(path: string, call: DescribedCall) {
  const id = ID.exec(path)?.[0].toLowerCase();
  const ids = id === undefined ? [] : [{ name: id, in: "path", required: true, schema: { type: "string" } }];
  return {
    summary: call.summary,
    parameters: [...ids, ...(call.query ? parametersOf(call.query) : [])],
    ...(call.body && {
      requestBody: {
        required: !call.body.isOptional,
        content: {
          "application/json": { schema: jsonSchemaOf(call.body.schema, "input"), example: call.body.example },
        },
      },
    }),
    responses: {
      200: { description: "Success", content: contentOf(call) },
      ...Object.fromEntries(
        Object.entries(call.failures ?? {}).map(([status, schema]) => [status, failure(jsonSchemaOf(schema))]),
      ),
      default: failure({ $ref: "#/components/schemas/Failure" }),
    },
  };
}

const failure = (schema: object) => ({
  description: "Refused: the message says what is wrong and what would be right",
  content: { "application/json": { schema } },
});

function contentOf({ answer, texts = [] }: DescribedCall) {
  const json = answer && { "application/json": { schema: jsonSchemaOf(succeeded(answer)) } };
  return { ...json, ...Object.fromEntries(texts.map((type) => [type, { schema: { type: "string" } }])) };
}
