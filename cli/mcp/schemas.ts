import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { DESCRIBED_CALLS } from "../../sandbox/control/calls.ts";
import { shown, whatCame } from "../../src/domain/error.ts";
import { typedPhone } from "../../src/domain/phone.ts";
import { jsonSchemaOf, parametersOf } from "../../src/http/description.ts";
import { nearest } from "../../src/http/nearest.ts";
import { isPathPart } from "../terminal/options.ts";
import { chosenIn, membersOf, type Shape } from "./lenient.ts";
import { type CalledAction, COMMON_MEANINGS, type ToolWithActions } from "./tools.ts";

/** The schemas of a tool, from those of its calls. The sandbox itself checks the arguments, and says what would be right. */

interface Property extends Shape {
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Properties;
  readonly items?: Property;
}
type Properties = Record<string, Property>;

/** The call of an action. */
function callOf({ method, path }: CalledAction) {
  const call = DESCRIBED_CALLS[path]?.[method];
  if (!call) throw new Error(`the control API has no ${method} ${path}`);
  return call;
}

/**
 * The arguments of an action. A report is always JSON.
 * @param usual the values of arguments that are left out, where the action does not leave them to its call
 */
function argumentsOf(action: CalledAction, usual: object = {}) {
  const call = callOf(action);
  const query = (call.query ? parametersOf(call.query) : []).map(
    ({ name, schema, description }) => [name, { ...schema, description }] as const,
  );
  const { format: _format, by: _by, ...queried } = Object.fromEntries(query);
  const schema = call.body && jsonSchemaOf(call.body.schema, "input");
  // Of several forms of a body, the first is an object.
  const body = (schema?.anyOf?.[0] ?? schema) as { properties?: Properties; required?: string[] } | undefined;
  const properties = { ...queried, ...body?.properties } as Properties;
  for (const [name, value] of Object.entries(usual)) properties[name] = { ...properties[name], default: value };
  const required = body?.required?.filter((name) => !(name in usual)) ?? [];
  if (action.id === undefined) return { properties, required };
  const others = Object.keys(action.otherIds ?? {});
  const ids = Object.fromEntries([action.id, ...others].map((name) => [name, { type: "string" }]));
  const requiredIds = others.length === 0 ? [action.id] : [];
  return { properties: { ...ids, ...properties }, required: [...requiredIds, ...required] };
}

/** What a tool takes. With several actions, `action` says which, and each argument says for which it is. */
export function inputOf(tool: ToolWithActions, paymentAccountId: number | null): StandardSchemaWithJSON<object> {
  const actions = Object.entries(tool.actions).map(([name, action]) => ({
    name,
    summary: callOf(action).summary,
    ...argumentsOf(action, action.usual?.({ paymentAccountId })),
  }));
  const names = actions.map(({ name }) => name);
  const summaries = [...Map.groupBy(actions, ({ summary }) => summary)]
    .map(([summary, same]) => `${same.map(({ name }) => name).join(", ")}: ${summary}`)
    .join("; ");
  const action = { type: "string", enum: names, default: names[0], description: summaries };
  const [only] = actions.length === 1 ? actions : [];
  const taken: Properties = Object.assign({}, ...actions.map(({ properties }) => properties));
  const properties = Object.entries(taken).map(([name, property]) => {
    const users = actions.filter((one) => name in one.properties).map((one) => one.name);
    const { description, ...rest } = described(tool, name, property);
    return [name, { description: only ? description : `for ${users.join(", ")}: ${description}`, ...rest }];
  });
  const schema = {
    type: "object",
    properties: { ...(!only && { action }), ...Object.fromEntries(properties) },
    required: only?.required ?? [],
    additionalProperties: false,
  };
  const jsonSchema = { input: () => ({ ...schema }), output: () => ({ ...schema }) };
  // The arguments are passed on as they came: `readArguments` refuses those that the action does not have.
  const validate = (value: unknown) => ({ value: value as object });
  return { "~standard": { version: 1, vendor: "momo", validate, jsonSchema } };
}

/** An argument and its members, each with a description. */
function described(tool: ToolWithActions, name: string, property: Property): Property {
  const { properties, items } = property;
  const members = Object.entries(properties ?? {}).map(([key, member]) => [key, described(tool, key, member)]);
  const description = tool.means?.[name] ?? property.description ?? COMMON_MEANINGS[name] ?? "";
  return {
    ...property,
    description,
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(items && { items: described(tool, "entry", items) }),
  };
}

/** What the arguments of a call say. */
export interface ReadCall {
  readonly action: CalledAction;
  /** Empty if the action has none. */
  readonly id: string;
  readonly rest: Record<string, unknown>;
}

/**
 * The action that the arguments of a call name, its id, and the other arguments.
 * @throws Error that says what the tool takes
 */
export function readArguments(
  tool: string,
  { actions, destroys }: ToolWithActions,
  given: Readonly<Record<string, unknown>>,
): ReadCall {
  const names = Object.keys(actions);
  const { action: chosen = "", ...others } = withoutEmpty(given);
  const named = chosenIn(names, String(chosen)) || (actionFor(others, actions, destroys === true) ?? names[0]);
  const action = names.includes(String(named)) ? actions[String(named)] : undefined;
  if (action === undefined) throw new Error(`action must be one of ${names.join(", ")}${whatCame(chosen)}`);
  const { properties } = argumentsOf(action);
  for (const [name, meant] of Object.entries(action.alsoNamed ?? {})) {
    if (name in others && !(meant in others)) {
      others[meant] = others[name];
      delete others[name];
    }
  }
  for (const [name, value] of Object.entries(action.fixed ?? {})) {
    const said = others[name] ?? value;
    if (String(said) !== String(value)) throw new Error(`action ${named} means ${name} ${value}: leave out ${name}`);
  }
  const known = Object.keys(properties);
  const read = membersOf(asEntry(others, properties), properties);
  if (typeof read.phone === "string") read.phone = typedPhone(read.phone) ?? read.phone;
  const ofEntry = namesOfEntry(properties);
  const wrong = Object.keys(read).filter((name) => !known.includes(name));
  const unknown = wrong.find((name) => !ofEntry.includes(name)) ?? wrong[0];
  if (unknown !== undefined) {
    const name = unknown.length > 40 ? shown(unknown) : unknown;
    const which = names.length > 1 ? `${tool} with action ${named}` : tool;
    const users = names.filter((one) => actions[one] && unknown in argumentsOf(actions[one]).properties);
    const whose = users.length > 0 ? `; ${name} is for action ${users.join(" and ")}` : "";
    const takes = known.length > 0 ? `takes ${known.join(", ")}` : "takes no arguments";
    const meant = nearest(unknown, [...known, ...ofEntry]);
    // A name of an entry is right itself, but not beside others.
    const suggestion = meant === undefined || meant === unknown ? "" : ` (did you mean ${meant}?)`;
    throw new Error(`there is no argument ${name}${suggestion}: ${which} ${takes}${whose}`);
  }
  if (action.id === undefined) return { action, id: "", rest: read };
  return { action, ...idIn(action, action.id, read) };
}

/** What was given: assistants write null, or an empty text, for what is absent. */
const withoutEmpty = (given: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== ""));

/**
 * The action that the arguments tell: the first that takes them all, or else most of them. What removes something is always named, and of
 * a tool that destroys something, the arguments must fit one action only.
 */
function actionFor(given: object, actions: ToolWithActions["actions"], destroys: boolean): string | undefined {
  const fitting = Object.entries(actions).filter(([, action]) => takesAll(action, given));
  if (fitting.length === 0) return closest(given, actions);
  const [[name, action] = [], ...more] = fitting;
  if (!destroys || Object.keys(given).length === 0) return name;
  return more.length === 0 && action?.method !== "DELETE" ? name : undefined;
}

/** The action that takes most of the arguments. It refuses the others. */
function closest(given: object, actions: ToolWithActions["actions"]): string | undefined {
  let best: string | undefined;
  let most = 0;
  for (const [name, action] of Object.entries(actions)) {
    const { properties } = argumentsOf(action);
    const known = [...Object.keys(properties), ...namesOfEntry(properties)];
    const taken = Object.keys(given).filter((one) => known.includes(one)).length;
    if (taken > most) {
      best = name;
      most = taken;
    }
  }
  return best;
}

/** Whether an action has all these arguments, also as members of one entry of its list. */
function takesAll(action: CalledAction, given: object): boolean {
  const { properties } = argumentsOf(action);
  return Object.keys(asEntry(given, properties)).every((name) => name in properties);
}

/** Arguments that are the members of one entry, as a list of it: `outcome` and `phone` are a rule with `match`. */
function asEntry(given: object, properties: Properties): object {
  const [list, members] = entryIn(properties);
  const others = Object.entries(given).filter(([name]) => !(name in properties));
  const entry = entryOf(others, members);
  if (list === undefined || others.length === 0 || entry === null || list in given) return given;
  const own = Object.entries(given).filter(([name]) => name in properties);
  return { ...Object.fromEntries(own), [list]: [entry] };
}

/** The argument that is a list, and the members of its entries. */
function entryIn(properties: Properties): readonly [list: string | undefined, members: Properties] {
  const [list, shape] = Object.entries(properties).find(([, { items }]) => items?.properties) ?? [];
  return [list, shape?.items?.properties ?? {}];
}

/** All names that `asEntry` takes. */
const namesOfEntry = (properties: Properties): string[] =>
  Object.entries(entryIn(properties)[1]).flatMap(([name, inner]) => [name, ...Object.keys(inner.properties ?? {})]);

/** An entry with these members, or with members of a member that was not given; null if it has not all of them. */
function entryOf(given: readonly (readonly [string, unknown])[], properties: Properties): object | null {
  const names = given.map(([name]) => name);
  const entry: Record<string, unknown> = {};
  for (const [name, value] of given) {
    const [outer] = Object.entries(properties).find(([, { properties: inner }]) => inner && name in inner) ?? [];
    if (name in properties) entry[name] = value;
    else if (outer === undefined || names.includes(outer)) return null;
    else entry[outer] = { ...Object(entry[outer]), [name]: value };
  }
  return entry;
}

/** The arguments that the call of an action takes in its query, and those that it takes in its body. */
export function partsOf(action: CalledAction, given: Readonly<Record<string, unknown>>) {
  const { query } = callOf(action);
  const inQuery = new Set((query ? parametersOf(query) : []).map(({ name }) => name));
  const queried: Record<string, unknown> = {};
  const sent: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    if (inQuery.has(name)) queried[name] = value;
    else sent[name] = value;
  }
  return { query: queried, body: sent };
}

/** The id of a call, and the other arguments. @throws Error if there is none, or more than one */
function idIn({ otherIds = {} }: CalledAction, name: string, read: Readonly<Record<string, unknown>>) {
  const names = [name, ...Object.keys(otherIds)];
  const given = names.filter((one) => read[one] !== undefined && read[one] !== "");
  const choice = names.length > 1 ? `give one of ${names.join(", ")}` : "it must be a string";
  const [by] = given;
  if (by === undefined) throw new Error(`${name} is missing: ${choice}`);
  if (given.length > 1) throw new Error(`${given.join(" and ")} name the payment: ${choice}`);
  const id = read[by];
  const rest = Object.fromEntries(Object.entries(read).filter(([one]) => !names.includes(one)));
  if (typeof id === "string" && isPathPart(id)) return { id, rest: { ...rest, ...otherIds[by] } };
  throw new Error(`${by} must be a string, the id of one${whatCame(id)}`);
}
