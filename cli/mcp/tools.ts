import type { StandardSchemaWithJSON } from "@modelcontextprotocol/server";
import { z } from "zod";
import { CALLS } from "../../sandbox/control/calls.ts";
import { OUTCOMES } from "../../sandbox/network/outcomes.ts";
import { shown, whatCame } from "../../src/domain/error.ts";
import { redact } from "../../src/domain/redact.ts";
import { visibleLines } from "../../src/domain/visible.ts";
import { jsonSchemaOf, parametersOf } from "../../src/http/description.ts";

/**
 * The tools of `momo mcp`, made from the calls of the control API (`sandbox/control/calls.ts`). Of each: when to use it, and what it
 * can do, by name: a method and a path, with the name of the argument for its id. Of several, the argument `action` names one.
 */
export type Tool = readonly [use: string, actions: Readonly<Record<string, string>>];

export const TOOLS: Readonly<Record<string, Tool>> = {
  start_payment: ["Starts a test payment that ends as outcome says.", { start: "POST /payments" }],
  wait_for_payment: ["Waits until a payment has ended, or has a status.", { wait: "POST /wait" }],
  explain_payment: [
    "How one payment ended and why, what to do, and each poll.",
    { explain: "GET /transactions/{checkout_request_id}" },
  ],
  list_payments: ["Lists payments. search: the start of a phone or reference.", { list: "GET /transactions" }],
  customer: [
    "Shows the prompts on phones, answers one (a PIN pays, 0000 is the wrong PIN), and shows the text messages.",
    { prompts: "GET /prompts", answer: "POST /prompts/{checkout_request_id}/answer", messages: "GET /messages" },
  ],
  rules: [
    "Decides how the next payments end. times: 1 is the next one only.",
    { list: "GET /rules", add: "POST /rules", replace: "PUT /rules", clear: "DELETE /rules" },
  ],
  clock: [
    "Stops the clock of the sandbox, moves it forward, or starts it again. What falls due by a move is resolved at once.",
    { show: "GET /clock", set: "POST /clock" },
  ],
  faults: [
    "Makes the payment API fail: errors, delays, lost answers. For tests of what a client does then.",
    { list: "GET /faults", replace: "PUT /faults", clear: "DELETE /faults" },
  ],
  webhook: [
    "Sends each final payment to an address, and shows what was sent and answered. The specification has no webhooks.",
    {
      show: "GET /webhook",
      set: "PUT /webhook",
      test: "POST /webhook/test",
      resend: "POST /webhook/deliveries/{delivery_id}/resend",
      remove: "DELETE /webhook",
    },
  ],
  audit: [
    "Reports what the program under test has done wrong so far, with the right way. Use it after each run. Shows its requests, also those that were refused and have no payment.",
    { report: "GET /audit", requests: "GET /requests", forget: "DELETE /audit" },
  ],
  state: [
    "Forgets all payments and settings of the sandbox, or saves and restores them under a name.",
    {
      snapshots: "GET /snapshots",
      save: "PUT /snapshots/{name}",
      restore: "POST /snapshots/{name}/restore",
      remove: "DELETE /snapshots/{name}",
      reset: "POST /reset",
    },
  ],
};

/** The schemas of a tool, from those of its calls. The sandbox itself checks the arguments, and says what would be right. */

type Properties = Record<string, Property>;

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
  const query = described.query ? parametersOf(described.query) : [];
  const { format: _, ...queried } = Object.fromEntries(query.map(({ name, schema }) => [name, schema]));
  const schema = described.body && jsonSchemaOf(described.body.schema, "input");
  // Of several forms of a body, the first is an object.
  const body = (schema?.anyOf?.[0] ?? schema) as { properties?: Properties; required?: string[] } | undefined;
  const id = idName === null ? {} : { [idName]: { type: "string" } };
  const properties = { ...id, ...queried, ...body?.properties } as Properties;
  return { properties, required: [...Object.keys(id), ...(body?.required ?? [])] };
}

/** What a tool takes. With several actions, `action` says which, and each argument says for which it is. */
export function inputOf(tool: string, defaults: readonly string[]): StandardSchemaWithJSON<object> {
  const [, actions] = TOOLS[tool] as Tool;
  const names = Object.keys(actions);
  const meaning = Object.entries(actions).map(([name, call]) => `${name}: ${routeOf(call).described.summary}`);
  const action = { type: "string", enum: names, description: meaning.join("; ") };
  const properties: Properties = names.length > 1 ? { action } : {};
  const required = names.length > 1 ? ["action"] : [];
  for (const [name, call] of Object.entries(actions)) {
    const taken = argumentsOf(call);
    if (names.length === 1) required.push(...taken.required.filter((argument) => !defaults.includes(argument)));
    for (const [argument, property] of Object.entries(taken.properties)) {
      const before = properties[argument]?.description?.split(": ", 1)[0];
      const users = names.length > 1 && `for ${before === undefined ? "" : `${before.slice(4)}, `}${name}: `;
      const described = describe(tool, argument, property);
      properties[argument] = users ? { ...described, description: users + described.description } : described;
    }
  }
  const json = { type: "object", properties, required, additionalProperties: false };
  const jsonSchema = { input: () => ({ ...json }), output: () => ({ ...json }) };
  // The arguments are passed on as they came: `readArguments` refuses those that the action does not have.
  const validate = (value: unknown) => ({ value: value as object });
  return { "~standard": { version: 1, vendor: "momo", validate, jsonSchema } };
}

interface Property {
  readonly description?: string;
  readonly properties?: Record<string, Property>;
  readonly items?: Property;
}

/** An argument and its members, each with a description. */
function describe(owner: string, name: string, property: Property): Property {
  const { properties, items } = property;
  const members = Object.entries(properties ?? {}).map(([key, member]) => [key, describe(owner, key, member)]);
  return {
    description: MEANINGS[`${owner}.${name}`] ?? MEANINGS[name] ?? "",
    ...property,
    ...(properties && { properties: Object.fromEntries(members) }),
    ...(items && { items: describe(owner, "entry", items) }),
  };
}

/**
 * The action that the arguments of a call name, without the arguments that momo knows.
 * @throws Error that says what the tool takes
 */
export function readArguments(tool: string, given: Readonly<Record<string, unknown>>) {
  const [, actions] = TOOLS[tool] as Tool;
  const names = Object.keys(actions);
  const { action, ...rest } = names.length > 1 ? given : { action: names[0], ...given };
  if (action === undefined) throw new Error(`action is missing: it must be one of ${names.join(", ")}`);
  const call = names.includes(action as string) ? actions[action as string] : undefined;
  if (call === undefined) throw new Error(`action must be one of ${names.join(", ")}${whatCame(action)}`);
  const { properties } = argumentsOf(call);
  const known = Object.keys(properties);
  const unknown = Object.keys(rest).find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const name = unknown.length > 40 ? shown(unknown) : unknown;
    const which = names.length > 1 ? `${tool} with action ${action}` : tool;
    const users = names.filter((one) => unknown in argumentsOf(actions[one] ?? "").properties);
    const whose = users.length > 0 ? `; ${name} is for action ${users.join(" and ")}` : "";
    const takes = known.length > 0 ? `takes ${known.join(", ")}` : "takes no arguments";
    throw new Error(`there is no argument ${name}: ${which} ${takes}${whose}`);
  }
  const { idName } = routeOf(call);
  const id = rest[idName ?? ""];
  if (idName !== null && id === undefined) throw new Error(`${idName} is missing: it must be a string`);
  // Another text would be another path.
  if (idName !== null && !(typeof id === "string" && /^(?!\.{1,2}$).{1,200}$/s.test(id)))
    throw new Error(`${idName} must be a string, the id of one${whatCame(id)}`);
  return { call, known, given: rest };
}

/** What a tool answers: the names of the members of all its answers. The documents have their shapes. */
export function outputOf(tool: string) {
  const [, actions] = TOOLS[tool] as Tool;
  const answers = Object.values(actions).map((action) => routeOf(action).described.answer ?? {});
  const names = answers.flatMap((answer) => Object.keys(answer instanceof z.ZodObject ? answer.shape : answer));
  const members = Object.fromEntries(names.map((name) => [name, z.unknown().optional()]));
  return z.object({ ...members, message: z.string(), entries_left_out: z.record(z.string(), z.int()).optional() });
}

/** About 8,000 tokens. An answer is sent twice: as text, and as structured content. */
const MOST_CHARACTERS = 14_000;
const OLDEST_FIRST = ["requests", "deliveries"];

/**
 * An answer that fits: of its longest list, entries are left out until it does, and `entries_left_out` says how many.
 * No answer has a secret, or text with characters that its reader does not see.
 */
export function bounded(answer: Record<string, unknown>): Record<string, unknown> {
  const whole = JSON.parse(redact(JSON.stringify(answer)), (_name, value: unknown) =>
    typeof value === "string" ? visibleLines(value) : value,
  ) as Record<string, unknown>;
  const leftOut: Record<string, number> = {};
  const lists = Object.entries(whole).filter((entry): entry is [string, unknown[]] => Array.isArray(entry[1]));
  const excess = () => JSON.stringify(whole).length - MOST_CHARACTERS;
  while (excess() > 0) {
    const [longest] = lists.toSorted(([, a], [, b]) => JSON.stringify(b).length - JSON.stringify(a).length);
    if (!longest || longest[1].length === 0) break;
    const [name, entries] = longest;
    const half = Math.ceil(entries.length / 2);
    // Of lists with the oldest entry first, the first and the last ones stay.
    const from = OLDEST_FIRST.includes(name) && entries.length > 1 ? 1 : entries.length - half;
    const removed = entries.splice(from, half).length;
    leftOut[name] = (leftOut[name] ?? 0) + removed;
  }
  return Object.keys(leftOut).length === 0 ? whole : { ...whole, entries_left_out: leftOut };
}

const MEANINGS_OF_OUTCOMES = OUTCOMES.filter(({ name }) => name !== "manual").map(
  ({ name, meaning }) => `${name} (${meaning})`,
);

/** What each argument of the tools means, where the schema of its call does not say it, or says it in terms of HTTP. */
const MEANINGS: Readonly<Record<string, string>> = {
  payment_account_id: "the account that gets the money; left out: the first",
  phone: "of the customer, such as 0712345678",
  reference: "of the order: the shop's own text",
  description: "what is paid for",
  kind: "who makes the payment; left out: api, a program",
  outcome: `how the payment ends: ${MEANINGS_OF_OUTCOMES.join(", ")}; or manual: it stays pending until you answer it with the tool customer or the prompt expires, to see what the program does meanwhile. With a time: completed; after=10s. Left out: the rules decide`,
  "customer.outcome": "what happens instead of a PIN",
  "rules.outcome": "how the payment ends",
  "rules.match": "which payments; left out: all",
  "rules.amount": "in KES",
  "faults.kind": "what happens to the request",
  "faults.probability": "of each request, by chance",
  checkout_request_id: "of the payment: ws_CO_…",
  until: "the status to wait for; final: any but pending",
  timeout: "in real time, such as 10s",
  page: "counts from 1, the newest payments first",
  limit: "how many entries at most",
  type: "only payments of this kind",
  status: "only payments with this status",
  date_from: "the first day, such as 2026-11-27",
  date_to: "the last day, such as 2026-11-27",
  search: "the start of a phone or reference, or a receipt",
  id: "of a transaction: its number",
  merchant_id: "whose payments; left out: the first merchant's",
  pin: "what the customer enters: 1234 pays, 0000 is wrong",
  rules: "the first that matches a payment decides how it ends",
  freeze: "stops the clock",
  resume: "lets the clock run again",
  advance: "moves the clock forward, such as 60s",
  seed: "of the chance of faults with a probability",
  faults: "what goes wrong, in order",
  after: "only entries after this id",
  before: "only entries before this id",
  url: "gets each payment that becomes final, by POST",
  form: "of the message",
  times: "how often each message is sent",
  delay: "before each message, such as 5s",
  early: "whether the message comes before the answer to the program",
  delivery_id: "of a delivery that show lists",
  over: "whether the run is over: then it is an error if no request was accepted",
  name: "of the snapshot",
};
