import { succeeded } from "../../src/http/answers.ts";
import { describe, describeCall, FAILURE, json, jsonSchemaOf } from "../../src/http/description.ts";
import type { Call } from "./context.ts";
import { SERVER_HEADER } from "./identity.ts";
import type { WholeCalls } from "./rows/row.ts";
import { refusal } from "./shapes/refusal.ts";

/**
 * The control API in OpenAPI 3.1, without its address. It takes many milliseconds.
 * @param calls by path and method; `HEAD` is left out
 */
export function describeControl(calls: WholeCalls, version: string) {
  const description = {
    info: { title: "momo's control API", version, description: "Steer the sandbox, and see what happened in it." },
    // The token is optional: a server may have none.
    security: [{}, { controlToken: [] }],
    paths: Object.fromEntries(
      Object.entries(calls).map(([path, { HEAD: _, ...methods }]) => [
        path.replace(ID, "{$&}").toLowerCase(),
        Object.fromEntries(
          Object.entries(methods).map(([method, call]) => [
            method.toLowerCase(),
            describeCall(call, responsesOf(call), idsOf(path)),
          ]),
        ),
      ]),
    ),
    components: { securitySchemes: { controlToken: { type: "http", scheme: "bearer" } } },
  };
  return describe(description, { Refusal: jsonSchemaOf(refusal) });
}

/** The part of a path that stands for an id. */
const ID = /[A-Z_]+/;

function idsOf(path: string): object[] {
  const [id] = ID.exec(path) ?? [];
  return id === undefined ? [] : [{ name: id.toLowerCase(), in: "path", required: true, schema: { type: "string" } }];
}

function responsesOf({ answer, texts = [], failures = {} }: Call) {
  const asText = Object.fromEntries(texts.map((type) => [type, { schema: { type: "string" } }]));
  const failed = Object.entries(failures).map(([status, schema]) => [status, failure(jsonSchemaOf(schema))]);
  return {
    200: {
      description: "Success",
      content: { ...(answer && json(jsonSchemaOf(succeeded(answer)))), ...asText },
    },
    ...Object.fromEntries(failed),
    421: { description: `Nothing was done: ${SERVER_HEADER} names another server`, content: json(FAILURE) },
    default: failure(REFUSAL),
  };
}

const REFUSAL = { $ref: "#/components/schemas/Refusal" };

const failure = (schema: object) => ({
  description: "Refused: the message says what is wrong and what would be right",
  content: json(schema),
});
