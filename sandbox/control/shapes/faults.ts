import { z } from "zod";
import { OPERATION_PATHS } from "../../../src/http/paths.ts";
import type { AnyFaultKind, FaultKind, Schemas } from "../../faults/kind.ts";
import { FAULT_NAMES, FAULTS, type FaultName, kindOf } from "../../faults/kinds.ts";
import * as values from "./values.ts";

/** `/faults`: the members that all faults have, and those of the kinds. */

/** The schemas of the members of a list of kinds. */
export type MembersOf<Kinds> = Intersection<Kinds[keyof Kinds] extends infer Kind ? ShapeOf<Kind> : never>;

type ShapeOf<Kind> =
  Kind extends FaultKind<infer Shape, infer _> ? { [Name in keyof Shape]: z.ZodOptional<Shape[Name]> } : never;

type Intersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never;

const COMMON = {
  id: values.sentId,
  path: z.enum(OPERATION_PATHS).optional().describe("left out: any operation"),
  kind: z.enum(FAULT_NAMES),
  probability: z.number().gt(0).max(1).default(1),
  times: values.times,
};

/** A member that only one kind of fault has. */
export interface KindMember {
  readonly name: string;
  readonly kind: FaultName;
  readonly schema: z.ZodType;
}

const SCHEMAS: Schemas = {
  ...values,
  z: {
    boolean: z.boolean,
    enum: z.enum,
    int: z.int,
    preprocess: z.preprocess,
    record: z.record,
    string: z.string,
    url: z.url,
  },
};

/** @throws Error if two kinds have a member of the same name, or if every fault has it */
export function membersOfKinds(kinds: Readonly<Record<string, AnyFaultKind>>): KindMember[] {
  const owners = new Map(Object.keys(COMMON).map((name) => [name, "every fault"]));
  return Object.entries(kinds).flatMap(([kind, { members }]) =>
    Object.entries<z.ZodType>(members(SCHEMAS)).map(([name, schema]) => {
      const owner = owners.get(name);
      if (owner !== undefined) throw new Error(`the fault ${kind} has a member ${name}, which ${owner} has`);
      owners.set(name, kind);
      return { name, kind: kind as FaultName, schema };
    }),
  );
}

export const FAULT_MEMBERS = membersOfKinds(FAULTS);

const optional = FAULT_MEMBERS.map(({ name, schema }) => [name, schema.optional()]);
const members = Object.fromEntries(optional) as MembersOf<typeof FAULTS>;

const { id, path, kind, probability, times } = COMMON;

/** An injected failure of the merchant API, as it is sent. */
export const fault = z.strictObject({ id, path, kind, ...members, probability, times }).check(({ value, issues }) => {
  const { needs = [], usual = {}, check } = kindOf(value);
  const given: Readonly<Record<string, unknown>> = value;
  const refuse = (member: string, message: string) =>
    void issues.push({ code: "custom", path: [member], message, input: given[member] });
  for (const { name, kind } of FAULT_MEMBERS) {
    if (given[name] !== undefined && kind !== value.kind) refuse(name, `is only for a fault of the kind ${kind}`);
  }
  for (const name of needs) {
    if (given[name] === undefined) refuse(name, `is missing: a fault of the kind ${value.kind} needs it`);
  }
  check?.(value, refuse);
  for (const [name, content] of Object.entries(usual)) {
    if (given[name] === undefined) Object.assign(value, { [name]: content });
  }
});
export type FaultInput = z.input<typeof fault>;
export type Fault = values.ReadOnly<typeof fault>;
export const faultInForce = z.strictObject({ id: values.itemId, path, kind, ...members, probability, times });
export type FaultInForce = values.ReadOnly<typeof faultInForce>;
