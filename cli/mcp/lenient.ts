import { readOrNull } from "../../src/domain/read-or-null.ts";

/** Arguments as assistants write them, in the types of their schema: `"100"`, `"true"`, a list as JSON text, null for what is absent. */

/** The part of a JSON Schema that tells types apart. */
export interface Shape {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly anyOf?: readonly Shape[];
}

const NUMBER = /^\s*-?[0-9]{1,15}(?:\.[0-9]{1,6})?\s*$/;

/** The members with a value, each in the type of its schema. What fits none stays as it is: the sandbox refuses it. */
export function membersOf(given: object, shapes: Readonly<Record<string, Shape>>): Record<string, unknown> {
  const members: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
    const shape = shapes[name];
    const read = shape === undefined ? value : readAs(value, shape);
    // What must be true if it is there is absent if it is false.
    if (read !== null && !(read === false && shape?.const === true)) members[name] = read;
  }
  return members;
}

function readAs(value: unknown, shape: Shape): unknown {
  if (shape.anyOf) return readAny(value, shape.anyOf);
  const { type, properties, items } = shape;
  const read = typeof value === "string" ? fromText(value, type) : value;
  // One entry stands for a list of one.
  const entries = type === "array" && isObject(read) ? [read] : read;
  if (type === "array" && Array.isArray(entries) && items) return entries.map((entry) => readAs(entry, items));
  if (type === "object" && properties && isObject(read)) return membersOf(read, properties);
  if (type === "string" && typeof read === "number") return String(read);
  return typeof read === "string" && shape.enum ? chosenIn(shape.enum, read) : read;
}

/** A name as it is written in a list, also if it came as `Wrong Pin` or `WRONG-PIN`. */
export function chosenIn(names: readonly unknown[], text: string): unknown {
  const plain = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  return names.includes(text) ? text : (names.find((name) => name === plain) ?? text);
}

/** In the first shape that it gets the type of; a value that has the type of one stays. */
function readAny(value: unknown, shapes: readonly Shape[]): unknown {
  const fitting =
    shapes.find((shape) => hasType(value, shape)) ?? shapes.find((shape) => hasType(readAs(value, shape), shape));
  return fitting && !fitting.anyOf ? readAs(value, fitting) : value;
}

function fromText(text: string, type: string | undefined): unknown {
  if (type === "number" || type === "integer") return NUMBER.test(text) ? Number(text) : text;
  if (type === "boolean") return BOOLEANS.get(text.trim().toLowerCase()) ?? text;
  if (type !== "array" && type !== "object") return text;
  const read = readOrNull(() => JSON.parse(text) as unknown);
  return hasType(read, { type }) || isObject(read) ? read : text;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

function hasType(value: unknown, { type }: Shape): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isObject(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
