import { z } from "zod";
import { auditReport, finding } from "../../sandbox/control/shapes/audit.ts";
import { fault } from "../../sandbox/control/shapes/faults.ts";
import { issue } from "../../sandbox/control/shapes/refusal.ts";
import { loggedRequest } from "../../sandbox/control/shapes/requests.ts";
import { rule } from "../../sandbox/control/shapes/steering.ts";
import { chosenName } from "../../sandbox/control/shapes/values.ts";
import { delivery, webhook } from "../../sandbox/control/shapes/webhook.ts";
import { statusName, transaction } from "../../src/http/answers.ts";

/** The types of the npm package's test helper, for users without zod: the records of the control API are made from its schemas. */

type Named = Readonly<Record<string, readonly [means: string, schema: z.ZodType]>>;

const INPUTS: Named = {
  OutcomeName: ["What a prompt does.", chosenName],
  RuleInput: ["What the prompts that match do.", rule],
  FaultInput: ["An injected failure of the merchant API.", fault],
  WebhookInput: ["Where payments that become final are POSTed, and what goes wrong on the way.", webhook],
};

const OUTPUTS: Named = {
  Status: ["The state of a payment.", statusName],
  TransactionRecord: ["A transaction as the list shows it (§2.2).", transaction],
  RequestRecord: ["A request of the merchant API, as in the log.", loggedRequest],
  DeliveryRecord: ["A message for the webhook, and its attempts.", delivery],
  Finding: ["A mistake of the client under test.", finding],
  Issue: ["What is wrong at one place of what was sent.", issue],
  AuditReport: ["What the client under test has done, and done wrong.", auditReport],
};

/**
 * The declarations of the test helper.
 * @param helper the source of npm/test-sandbox.ts
 */
export function declarations(helper: string): string {
  const [, own] = helper.split('from "./records.ts";\n');
  if (own === undefined) throw new Error("npm/test-sandbox.ts does not import its records any more");
  return `${[...recordsOf(INPUTS, "input"), ...recordsOf(OUTPUTS, "output")].join("\n")}${own}
export declare const startSandbox: StartSandbox;
export declare const connectSandbox: ConnectSandbox;
`;
}

function recordsOf(named: Named, io: "input" | "output"): string[] {
  const registry = z.registry<{ id: string }>();
  for (const [id, [, schema]] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io, uri: (id) => id, unrepresentable: "any" });
  return Object.entries(named).map(
    ([name, [means]]) => `/** ${means} */\nexport type ${name} = ${typeOf(schemas[name] ?? {}, io)};\n`,
  );
}

type JsonSchema = z.core.JSONSchema._JSONSchema;

function typeOf(schema: JsonSchema, io: "input" | "output"): string {
  if (typeof schema === "boolean") return "unknown";
  const { $ref, enum: values, anyOf, items, properties, additionalProperties, required = [] } = schema;
  const types: readonly string[] = [schema.type ?? "unknown"].flat();
  if ($ref !== undefined) return $ref;
  if (values) return values.map((value) => JSON.stringify(value)).join(" | ");
  if (anyOf) return anyOf.map((one) => typeOf(one, io)).join(" | ");
  if (types.includes("array")) return `readonly ${typeOf(items as JsonSchema, io)}[]`;
  if (!types.includes("object")) return types.map((type) => (type === "integer" ? "number" : type)).join(" | ");
  if (!properties) return `{ readonly [name: string]: ${typeOf(additionalProperties ?? true, io)} }`;
  const members = Object.entries(properties).map(([name, member]) => {
    const means = typeof member === "object" && member.description ? `/** ${member.description} */\n` : "";
    const [mark, more] = required.includes(name) ? ["", ""] : ["?", " | undefined"];
    return `${means}${io === "output" ? "readonly " : ""}${name}${mark}: ${typeOf(member, io)}${more};`;
  });
  return `{\n${members.join("\n").replaceAll(/^/gm, "  ")}\n}`;
}
