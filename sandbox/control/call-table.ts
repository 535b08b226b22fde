import type { z } from "zod";
import { invalid, shown } from "../../src/domain/error.ts";
import { parametersIn } from "../../src/domain/parameters.ts";
import { readOrNull } from "../../src/domain/read-or-null.ts";
import { parseInput } from "../../src/http/parse-input.ts";
import { fail, noSuchPath } from "../../src/http/reply.ts";
import { type KeepOpen, readParameters, targetOf } from "../../src/http/request.ts";
import { type Call, CONTROL_PATH } from "./context.ts";
import type { Area, Row, WholeCalls } from "./rows/row.ts";

/** Finds calls by the method and the path of a request. */
export function createCallTable<C>(calls: WholeCalls<C>) {
  /** The paths with an id in them, as patterns. */
  const patterns = Object.keys(calls)
    .filter((name) => /[A-Z]/.test(name))
    .map((name) => ({ name, pattern: new RegExp(`^${name.replace(/[A-Z_]+/, "([^/]+)")}$`) }));
  const paths = Object.keys(calls)
    .map((path) => CONTROL_PATH + path)
    .join(", ");

  /** The name of a path in the table, and the id in it; an empty name for a path that is not there. */
  function nameOf(path: string): { name: string; id: string } {
    if (Object.hasOwn(calls, path) && !/[A-Z]/.test(path)) return { name: path, id: "" };
    for (const { name, pattern } of patterns) {
      const id = pattern.exec(path)?.[1];
      if (id !== undefined) return { name, id: decoded(id) };
    }
    return { name: "", id: "" };
  }

  return {
    /** @returns the call, and what carries it out or refuses its input; or else a refusal */
    find(request: Request) {
      const { path, query } = targetOf(request);
      const { name, id } = nameOf(path.slice(CONTROL_PATH.length));
      const methods = calls[name];
      if (!methods) return noSuchPath(`the control API has ${paths}`);
      const call = methods[request.method];
      if (!call) {
        const allowed = Object.keys(methods).join(", ");
        return fail(405, `this path takes ${allowed} only`, { Allow: allowed });
      }
      const carryOut = async (context: C, keepOpen: KeepOpen) => {
        const { query: schema, body } = call;
        return call.call(context, {
          request,
          query: readQuery(schema, query),
          body: await body?.read(request),
          id,
          keepOpen,
        });
      };
      return { call, carryOut };
    },
  };
}

/** @throws Refusal `invalid` for a parameter that is wrong, or that the call does not have: a mistyped filter would show everything */
function readQuery(schema: z.ZodObject | undefined, query: string) {
  const known = Object.keys(schema?.shape ?? {});
  const other = parametersIn(query)
    .keys()
    .find((name) => !known.includes(name));
  if (other !== undefined) {
    const right = known.length === 0 ? "it has none" : `its parameters are ${known.join(", ")}`;
    const rule = `is not a parameter of this call: ${right}`;
    throw invalid(`${shown(other)} ${rule}`, [{ path: other, rule }]);
  }
  return schema ? parseInput(schema, readParameters(query, known)) : {};
}

/** Each call with its row. @throws Error for one without the other */
export async function wholeCalls<C>({ rows, load }: Area<C>): Promise<WholeCalls<C>> {
  const calls = await load();
  const whole: Record<string, Record<string, Row & Call<C>>> = {};
  for (const [path, methods] of Object.entries(rows)) {
    whole[path] = {};
    for (const [method, row] of Object.entries(methods)) {
      const call = calls[path]?.[method];
      if (!call) throw new Error(`the file of the control API for ${path} does not carry out ${method}`);
      whole[path][method] = { ...row, ...call };
    }
  }
  for (const [path, methods] of Object.entries(calls)) {
    for (const method in methods) if (!whole[path]?.[method]) throw new Error(`${method} ${path} has no row`);
  }
  return whole;
}

/** The text as its sender meant it: `a%20b` is `a b`. An invalid encoding stays as it is. */
const decoded = (segment: string): string => readOrNull(() => decodeURIComponent(segment)) ?? segment;
