import { z } from "zod";
import { failureSchema } from "./answers.ts";

/** OpenAPI 3.1 for both APIs, from the zod schemas that check requests and answers. */

/** One method of one path, as both tables of calls have it. */
export interface DescribedCall {
  readonly operationId?: string;
  readonly summary: string;
  /** The parameters of its query. */
  readonly query?: z.ZodObject;
  readonly body?: { readonly schema: z.ZodType; readonly example: unknown; readonly isOptional?: boolean };
}

/** What both descriptions have in common. */
export const describe = <D extends { info: object; components: object }>(
  { info, components, ...rest }: D,
  schemas: object = {},
) => ({
  openapi: "3.1.0",
  info: { ...info, license: { name: "MIT", identifier: "MIT" } },
  ...rest,
  components: { ...components, schemas: { ...schemas, Failure: jsonSchemaOf(failureSchema) } },
});

/** @param others the parameters that are not in the query */
export function describeCall(
  { operationId, summary, query, body }: DescribedCall,
  responses: object,
  others: readonly object[] = [],
  examples: Readonly<Record<string, unknown>> = {},
) {
  return {
    ...(operationId !== undefined && { operationId }),
    summary,
    parameters: [...others, ...(query ? parametersOf(query, examples) : [])],
    ...(body && {
      requestBody: { required: !body.isOptional, content: json(jsonSchemaOf(body.schema, "input"), body.example) },
    }),
    responses,
  };
}

export const json = (schema: object, example?: unknown) => ({
  "application/json": { schema, ...(example !== undefined && { example }) },
});

export const FAILURE = { $ref: "#/components/schemas/Failure" };

export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output" = "output") {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, override: describeInstead });
  return rest;
}

/** A query is text, but its schema can be a number: `described` replaces the schema of zod. */
function describeInstead({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }): void {
  const described = z.globalRegistry.get(zodSchema)?.described;
  // zod leaves out the default of text that becomes a number.
  if (zodSchema instanceof z.ZodDefault) Object.assign(jsonSchema, { default: zodSchema.def.defaultValue });
  if (typeof described !== "object" || described === null) return;
  for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
  Object.assign(jsonSchema, described);
}

export function parametersOf(schema: z.ZodType, examples: Readonly<Record<string, unknown>> = {}) {
  const { properties = {} } = jsonSchemaOf(schema, "input");
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...rest } = property as Exclude<typeof property, boolean>;
    return {
      name,
      in: "query",
      required: false,
      ...(description !== undefined && { description }),
      schema: rest,
      ...(name in examples && { example: examples[name] }),
    };
  });
}
