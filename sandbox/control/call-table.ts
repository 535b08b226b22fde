import { readOrNull } from "../../src/domain/read-or-null.ts";
import { parseInput } from "../../src/http/parse-input.ts";
import { fail, noSuchPath } from "../../src/http/reply.ts";
import { type KeepOpen, readParameters, targetOf } from "../../src/http/request.ts";
import { type Call, CONTROL_PATH } from "./context.ts";
import type { Row, Rows, WholeCalls } from "./rows/row.ts";

/** Finds calls by the method and the path of a request. */
export function createCallTable<C>(rows: Rows<C>) {
  /** The paths with an id in them, as patterns. */
  const patterns = Object.keys(rows)
    .filter((name) => /[A-Z]/.test(name))
    .map((name) => ({ name, pattern: new RegExp(`^${name.replace(/[A-Z_]+/, "([^/]+)")}$`) }));
  const paths = Object.keys(rows)
    .map((path) => CONTROL_PATH + path)
    .join(", ");

  /** The name of a path in the table, and the id in it; an empty name for a path that is not there. */
  function nameOf(path: string): { name: string; id: string } {
    if (Object.hasOwn(rows, path) && !/[A-Z]/.test(path)) return { name: path, id: "" };
    for (const { name, pattern } of patterns) {
      const id = pattern.exec(path)?.[1];
      if (id !== undefined) return { name, id: decoded(id) };
    }
    return { name: "", id: "" };
  }

  return {
    /** @returns the row of the call, and what carries it out or refuses its input; or else a refusal */
    find(request: Request) {
      const { path, query } = targetOf(request);
      const { name, id } = nameOf(path.slice(CONTROL_PATH.length));
      const methods = rows[name];
      if (!methods) return noSuchPath(`the control API has ${paths}`);
      const row = methods[request.method];
      if (!row) {
        const allowed = Object.keys(methods).join(", ");
        return fail(405, `this path takes ${allowed} only`, { Allow: allowed });
      }
      const carryOut = async (context: C, keepOpen: KeepOpen) => {
        const call = await callOf(row, name, request.method);
        const { query: schema, body } = call;
        return call.call(context, {
          request,
          query: schema ? parseInput(schema, readParameters(query, Object.keys(schema.shape))) : {},
          body: await body?.read(request),
          id,
          keepOpen,
        });
      };
      return { row, carryOut };
    },
  };
}

/** All calls, from the files of all rows. */
export async function loadCalls<C>(rows: Rows<C>): Promise<WholeCalls<C>> {
  const calls: Record<string, Record<string, Row<C> & Call<C>>> = {};
  for (const [path, methods] of Object.entries(rows)) {
    calls[path] = {};
    for (const [method, row] of Object.entries(methods)) {
      calls[path][method] = { ...row, ...(await callOf(row, path, method)) };
    }
  }
  return calls;
}

async function callOf<C>(row: Row<C>, path: string, method: string): Promise<Call<C>> {
  const call = (await row.load())[path]?.[method];
  if (!call) throw new Error(`the file of ${method} ${path} does not carry it out`);
  return call;
}

/** The text as its sender meant it: `a%20b` is `a b`. An invalid encoding stays as it is. */
const decoded = (segment: string): string => readOrNull(() => decodeURIComponent(segment)) ?? segment;
