import { dirname } from "node:path";

/** Returns what is wrong with a value, or null if it fits the schema. */
export type SchemaCheck = (value: unknown) => string | null;

interface Ajv {
  compile(schema: object): ((value: unknown) => boolean) & { errors?: unknown };
}

/**
 * The JSON Schema validator inside the validator of OpenAPI descriptions. It shares no code with zod, which writes our schemas.
 * @param draft the version of JSON Schema
 */
export async function createSchemaChecker(
  draft: "2020-12" | "04" = "2020-12",
): Promise<(schema: object) => SchemaCheck> {
  const beside = dirname(Bun.resolveSync("@seriousme/openapi-schema-validator", import.meta.dir));
  const load = async (name: string) => (await import(Bun.resolveSync(name, beside))) as { default: unknown };
  const validator = draft === "04" ? "ajv-draft-04" : "ajv/dist/2020.js";
  const { default: Ajv } = (await load(validator)) as { default: new (options: object) => Ajv };
  const { default: addFormats } = (await load("ajv-formats")) as { default: (ajv: Ajv) => void };
  // Patterns of draft 4 may be invalid with the unicode flag.
  const ajv = new Ajv({ strict: draft !== "04", unicodeRegExp: draft !== "04", allErrors: true });
  addFormats(ajv);
  return (schema) => {
    const validate = ajv.compile(schema);
    return (value) => (validate(value) ? null : JSON.stringify(validate.errors));
  };
}
