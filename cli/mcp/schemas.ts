import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { z } from "zod";
import { CALLS } from "../../sandbox/control/calls.ts";
import { jsonSchemaOf, parametersOf } from "../../src/http/json-schema.ts";
import type { Tool } from "./tools.ts";

/** The schemas of a tool, from those of its calls. The sandbox itself checks the arguments, and says what would be right. */

type Properties = Record<string, { readonly description?: string }>;

/** An action, resolved. Its path has the name of the argument for the id in braces; `idName` is null if it has none. */
export function routeOf(action: string) {
  const [method = "", path = ""] = action.split(" ");
  const idName = /\{(.*)\}/.exec(path)?.[1] ?? null;
  // In the table of the calls, capitals stand for an id.
  const known = Object.keys(CALLS).find((call) => call.replace(/[A-Z_]{2,}/, `{${idName}}`) === path);
  const described = CALLS[known ?? ""]?.[method];
  if (!described) throw new Error(`the control API has no ${action}`);
  return { method, path, idName, described };
}

/** The arguments of an action. A report is always JSON. */
function argumentsOf(action: string): { properties: Properties; required: string[] } {
  const { idName, described } = routeOf(action);
  const query = (described.query ?? []).flatMap((schema) => parametersOf(schema));
  const { format: _, ...queried } = Object.fromEntries(query.map(({ name, schema }) => [name, schema]));
  const schema = described.body && jsonSchemaOf(described.body.schema, "input");
  // Of several forms of a body, the first is an object.
  const body = (schema?.anyOf?.[0] ?? schema) as { properties?: Properties; required?: string[] } | undefined;
  const id = idName === null ? {} : { [idName]: { type: "string" } };
  const properties = { ...id, ...queried, ...body?.properties } as Properties;
  return { properties, required: [...Object.keys(id), ...(body?.required ?? [])] };
}

/** What a tool takes. With several actions, `action` says which, and each argument says for which it is. */
export function inputOf([, actions]: Tool, defaults: readonly string[]): StandardSchemaWithJSON<object> {
  const names = Object.keys(actions);
  const meaning = Object.entries(actions).map(([name, call]) => `${name}: ${routeOf(call).described.summary}`);
  const action = { type: "string", enum: names, description: meaning.join("; ") };
  const properties: Properties = names.length > 1 ? { action } : {};
  const required = names.length > 1 ? ["action"] : [];
  for (const [name, call] of Object.entries(actions)) {
    const taken = argumentsOf(call);
    if (names.length === 1) required.push(...taken.required.filter((argument) => !defaults.includes(argument)));
    for (const [argument, property] of Object.entries(taken.properties)) {
      const users = names.length > 1 && { description: `${properties[argument]?.description ?? "for"} ${name}` };
      properties[argument] = { ...property, ...users };
    }
  }
  return passingOn({ type: "object", properties, required, additionalProperties: false });
}

/** Passes the arguments on as they came. The sandbox ignores some unknown ones, so they are refused here. */
function passingOn(json: Record<string, unknown> & { properties: object }): StandardSchemaWithJSON<object> {
  const known = Object.keys(json.properties);
  const validate = (value: unknown) => {
    const unknown = Object.keys(value as object).filter((name) => !known.includes(name));
    if (unknown.length === 0) return { value: value as object };
    return {
      issues: [{ message: `there is no argument ${unknown.join(", ")}: the arguments are ${known.join(", ")}` }],
    };
  };
  const jsonSchema = { input: () => ({ ...json }), output: () => ({ ...json }) };
  return { "~standard": { version: 1, vendor: "momo", validate, jsonSchema } };
}

/** What a tool answers: the members of the answers of all its actions. */
export function outputOf([, actions]: Tool) {
  const answers = Object.values(actions).map((action) => routeOf(action).described.answer ?? {});
  const shapes = answers.map((answer) => (answer instanceof z.ZodObject ? answer.shape : answer));
  const members = z.object(Object.assign({}, ...shapes) as z.ZodRawShape);
  const { shape } = shapes.length === 1 ? members : members.partial();
  return z.object({ ...shape, message: z.string(), entries_left_out: z.record(z.string(), z.int()).optional() });
}
