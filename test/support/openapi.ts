import { dirname } from "node:path";

/** The parts of the OpenAPI description of the merchant API that tests read. */
export interface Description {
  readonly openapi: string;
  readonly info: { readonly license: object };
  readonly servers: readonly { readonly url: string }[];
  readonly security: unknown;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: { readonly Failure: object; readonly Transaction: object } };
}

export interface Operation {
  readonly requestBody?: { readonly content: Content };
  readonly parameters: readonly {
    readonly description?: string;
    readonly name: string;
    readonly in: string;
    readonly schema: object;
    readonly example: unknown;
  }[];
  readonly responses: Record<string, { readonly content: Content }>;
}

interface Content {
  readonly "application/json": { readonly schema: object; readonly example: Record<string, unknown> };
}

const resolved = new WeakMap<Description, Description>();

/** The description with each named schema in the place of its name. */
export function withoutNames(description: Description): Description {
  const known = resolved.get(description);
  if (known) return known;
  const schemas = description.components.schemas as Record<string, unknown>;
  const place = (_name: string, value: { readonly $ref?: string } | null) =>
    value?.$ref === undefined ? value : schemas[value.$ref.replace("#/components/schemas/", "")];
  const whole = JSON.parse(JSON.stringify(description, place)) as Description;
  resolved.set(description, whole);
  return whole;
}

const compile = await createSchemaChecker();
const compiled = new WeakMap<object, SchemaCheck>();

/** Compiles each schema once, because that takes long. */
export function schemaChecker(schema: object | undefined): SchemaCheck {
  if (!schema) throw new Error("no schema is described");
  const check = compiled.get(schema) ?? compile(schema);
  compiled.set(schema, check);
  return check;
}

/** Returns what is wrong with a value, or null if it fits the schema. */
export type SchemaCheck = (value: unknown) => string | null;

interface Ajv {
  compile(schema: object): ((value: unknown) => boolean) & { errors?: unknown };
}

/** The JSON Schema validator inside the validator of OpenAPI descriptions. It shares no code with zod, which writes our schemas. */
async function createSchemaChecker(): Promise<(schema: object) => SchemaCheck> {
  const beside = dirname(Bun.resolveSync("@seriousme/openapi-schema-validator", import.meta.dir));
  const load = async (name: string) => (await import(Bun.resolveSync(name, beside))) as { default: unknown };
  const { default: Ajv } = (await load("ajv/dist/2020.js")) as { default: new (options: object) => Ajv };
  const { default: addFormats } = (await load("ajv-formats")) as { default: (ajv: Ajv) => void };
  const ajv = new Ajv({ strict: true, unicodeRegExp: true, allErrors: true });
  addFormats(ajv);
  return (schema) => {
    const validate = ajv.compile(schema);
    return (value) => (validate(value) ? null : JSON.stringify(validate.errors));
  };
}
