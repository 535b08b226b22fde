import { z } from "zod";

/** Makes the JSON Schemas of both OpenAPI descriptions from the zod schemas that check requests and answers. */

/** A zod schema as JSON Schema. */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output" = "output") {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, override: describeInstead });
  return rest;
}

/** A query is text, but its schema can be a number: `described` replaces the schema of zod. */
function describeInstead({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }): void {
  const described = z.globalRegistry.get(zodSchema)?.described;
  if (typeof described !== "object" || described === null) return;
  for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
  Object.assign(jsonSchema, described);
}

/** The parameters of a query, with their examples. */
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
