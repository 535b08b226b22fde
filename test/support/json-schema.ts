import { dirname } from "node:path";

/** Says what is wrong with a value; null where it fits the schema. */
export type SchemaCheck = (value: unknown) => string | null;

interface Ajv {
  compile(schema: object): ((value: unknown) => boolean) & { errors?: unknown };
}

/** The JSON Schema validator that the validator of OpenAPI descriptions brings: it shares nothing with what wrote the schemas. */
export async function createSchemaChecker(): Promise<(schema: object) => SchemaCheck> {
  const beside = dirname(Bun.resolveSync("@seriousme/openapi-schema-validator", import.meta.dir));
  const load = async (name: string) => (await import(Bun.resolveSync(name, beside))) as { default: unknown };
  const { default: Ajv2020 } = (await load("ajv/dist/2020.js")) as { default: new (options: object) => Ajv };
  const { default: addFormats } = (await load("ajv-formats")) as { default: (ajv: Ajv) => void };
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  addFormats(ajv);
  return (schema) => {
    const validate = ajv.compile(schema);
    return (value) => (validate(value) ? null : JSON.stringify(validate.errors));
  };
}
