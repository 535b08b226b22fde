import { readOrNull } from "../../src/domain/read-or-null.ts";
import { parseInput } from "../../src/http/parse-input.ts";
import { fail, NO_SUCH_PATH } from "../../src/http/reply.ts";
import { type KeepOpen, readParameters, targetOf } from "../../src/http/request.ts";
import { type Calls, CONTROL_PATH } from "./context.ts";

/** Finds calls by the method and the path of a request. */
export function createCallTable<C>(calls: Calls<C>) {
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
    /** @returns the path of the call in the table, and what carries it out or refuses its input; or else a refusal */
    find(request: Request) {
      const { path, query } = targetOf(request);
      const { name, id } = nameOf(path.slice(CONTROL_PATH.length));
      const methods = calls[name];
      if (!methods) return fail(404, `${NO_SUCH_PATH}; the control API has ${paths}`);
      const described = methods[request.method];
      if (!described) {
        const allowed = Object.keys(methods).join(", ");
        return fail(405, `this path takes ${allowed} only`, { Allow: allowed });
      }
      const { query: schema, body } = described;
      const carryOut = async (context: C, keepOpen: KeepOpen) =>
        described.call(context, {
          request,
          query: schema ? parseInput(schema, readParameters(query, Object.keys(schema.shape))) : {},
          body: await body?.read(request),
          id,
          keepOpen,
        });
      return { name, carryOut };
    },
  };
}

/** The text as its sender meant it: `a%20b` is `a b`. An invalid encoding stays as it is. */
const decoded = (segment: string): string => readOrNull(() => decodeURIComponent(segment)) ?? segment;
