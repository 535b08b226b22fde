import { invalid, Refusal, shown } from "../domain/error.ts";
import { FILTER_NAMES, filterOf } from "../domain/filters.ts";
import { normalise, readLenientBody } from "./lenient.ts";
import type { Operation } from "./operations.ts";
import { parseInput } from "./parse-input.ts";
import type { Profile } from "./profile.ts";
import {
  type Exchange,
  expectPlainJson,
  type Leniency,
  objectIn,
  parseJson,
  readParameters,
  targetOf,
} from "./request.ts";

/** Reads the input of requests, in the form that the schemas of their operations expect, as strictly as the profile. */
export function createInputReader(profile: Profile) {
  const isLenient = profile.accept === "lenient";
  const { bad_filter = isLenient && "ignored" } = profile;
  const ignoresFilters = bad_filter === "ignored" || bad_filter === "empty";
  const clampsPages = (profile.page_bounds ?? (isLenient && "clamped")) === "clamped";
  const correctsParameter = (name: string) => (name === "page" || name === "limit" ? clampsPages : ignoresFilters);

  /** The parameters of a list, in the form that their schema expects. */
  function readList(query: string, { schema }: Operation, { leniencies }: Exchange): object {
    const input = readParameters(query, Object.keys(schema.shape));
    if (profile.filter_case === "lower") refuseCapitals(input, ignoresFilters);
    return clampsPages || ignoresFilters ? normalise(input, schema, leniencies, {}, correctsParameter) : input;
  }

  function readBody(text: string, headers: Headers, { schema }: Operation, exchange: Exchange): object {
    if (isLenient) return readLenientBody(text, headers, schema, exchange.leniencies);
    exchange.members = objectIn(parseJson(text));
    return exchange.members;
  }

  return {
    /** Before a body is read. @throws Refusal `invalid` for headers that are not those of plain JSON */
    requireHeaders({ headers }: Request, { method }: Operation): void {
      if (method !== "GET" && !isLenient) expectPlainJson(headers);
    },

    /** @param text the query, or the body */
    read: (text: string, { headers }: Request, known: Operation, exchange: Exchange): object =>
      known.method === "GET" ? readList(text, known, exchange) : readBody(text, headers, known, exchange),

    /** As {@link Api.wouldTake}. */
    wouldTake(request: Request, body: string | null, known: Operation | undefined): boolean {
      // Bytes that are not UTF-8 were replaced.
      if (isLenient || !known || body?.includes("\u{FFFD}")) return false;
      const { method, schema } = known;
      const leniencies: Leniency[] = [];
      try {
        const input =
          method === "GET"
            ? normalise(readParameters(targetOf(request).query, Object.keys(schema.shape)), schema, leniencies)
            : readLenientBody(body ?? "", request.headers, schema, leniencies);
        parseInput(schema, input);
      } catch (error) {
        if (error instanceof Refusal) return false;
        throw error;
      }
      return leniencies.length > 0;
    },
  };
}

/** For a service that knows the words of these filters in lower case only: refuses others, or leaves them out. */
function refuseCapitals(input: Record<string, unknown>, ignores: boolean): void {
  for (const name of FILTER_NAMES) {
    if (filterOf(name).choices === undefined) continue;
    const value = input[name];
    if (typeof value !== "string" || value === value.toLowerCase()) continue;
    if (!ignores)
      throw invalid(`${name} must be in lower case; it is ${shown(value)}`, [{ path: name, rule: "lower case" }]);
    delete input[name];
  }
}
