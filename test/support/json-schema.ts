import { dirname } from "node:path";

/** Says what is wrong with a value; null where it fits the schema. */
export type SchemaCheck = (value: unknown) => string | null;

interface Ajv {
  compile(schema: object): ((value: unknown) => boolean) & { errors?: unknown };
}

/**
 * The JSON Schema validator that the validator of OpenAPI descriptions brings: it shares nothing with what wrote the schemas.
 * @param draft in which the schemas are written
 */
export async function createSchemaChecker(
  draft: "2020-12" | "04" = "2020-12",
): Promise<(schema: object) => SchemaCheck> {
  const beside = dirname(Bun.resolveSync("@seriousme/openapi-schema-validator", import.meta.dir));
  const load = async (name: string) => (await import(Bun.resolveSync(name, beside))) as { default: unknown };
  const validator = draft === "04" ? "ajv-draft-04" : "ajv/dist/2020.js";
  const { default: Ajv } = (await load(validator)) as { default: new (options: object) => Ajv };
  const { default: addFormats } = (await load("ajv-formats")) as { default: (ajv: Ajv) => void };
  // Patterns of that draft are older than the unicode flag.
  const ajv = new Ajv({ strict: draft !== "04", unicodeRegExp: draft !== "04", allErrors: true });
  addFormats(ajv);
  return (schema) => {
    const validate = ajv.compile(schema);
    return (value) => (validate(value) ? null : JSON.stringify(validate.errors));
  };
}
