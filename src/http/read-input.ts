import { invalid, Refusal, shown } from "../domain/error.ts";
import type { Exchange, Leniency } from "./exchange.ts";
import { parseInput } from "./input.ts";
import { normalise, readLenientBody } from "./lenient.ts";
import type { Operation } from "./operation.ts";
import type { Profile } from "./profile.ts";
import { readJsonObject, readQuery, readText, targetOf } from "./request.ts";

/** An operation, with the method of its path. */
export interface Known {
  readonly method: "GET" | "POST";
  readonly operation: Operation;
  /** The members of its body, or the parameters of its query. */
  readonly members: readonly string[];
}

/** Reads the input of requests, in the form that the schemas of their operations expect, as strictly as the profile. */
export function createInputReader(profile: Profile) {
  const isLenient = profile.accept === "lenient";
  const ignoresFilters = (profile.bad_filter ?? (isLenient && "ignored")) === "ignored";
  const clampsPages = (profile.page_bounds ?? (isLenient && "clamped")) === "clamped";
  const correctsParameter = (name: string) => (name === "page" || name === "limit" ? clampsPages : ignoresFilters);

  /** The parameters of a list, in the form that their schema expects. */
  function readList(query: string, { operation: { schema }, members }: Known, { leniencies }: Exchange): object {
    const input = readQuery(query, members);
    if (profile.filter_case === "lower") refuseCapitals(input, ignoresFilters);
    return clampsPages || ignoresFilters ? normalise(input, schema, leniencies, {}, correctsParameter) : input;
  }

  return {
    read(request: Request, query: string, known: Known, exchange: Exchange): object | Promise<object> {
      if (known.method === "GET") return readList(query, known, exchange);
      return isLenient ? readLeniently(request, known, exchange) : readJsonObject(request, exchange);
    },

    /** As {@link Api.wouldTake}. */
    wouldTake(request: Request, body: string | null, known: Known | undefined): boolean {
      // Bytes that are not UTF-8 were replaced.
      if (isLenient || !known || body?.includes("\u{FFFD}")) return false;
      const leniencies: Leniency[] = [];
      try {
        parseInput(known.operation.schema, lenientInput(request, body, known, leniencies));
      } catch (error) {
        if (error instanceof Refusal) return false;
        throw error;
      }
      return leniencies.length > 0;
    },
  };
}

async function readLeniently(request: Request, known: Known, exchange: Exchange): Promise<object> {
  return lenientInput(request, await readText(request, exchange), known, exchange.leniencies);
}

/** For a service that knows the words of these filters in lower case only: refuses others, or leaves them out. */
function refuseCapitals(input: Record<string, unknown>, ignores: boolean): void {
  for (const name of ["type", "status"]) {
    const value = input[name];
    if (typeof value !== "string" || value === value.toLowerCase()) continue;
    if (!ignores) throw invalid(`${name} must be in lower case; it is ${shown(value)}`);
    delete input[name];
  }
}

function lenientInput(
  request: Request,
  body: string | null,
  { method, operation: { schema }, members }: Known,
  leniencies: Leniency[],
): object {
  if (method !== "GET") return readLenientBody(body ?? "", request.headers, schema, leniencies);
  return normalise(readQuery(targetOf(request).query, members), schema, leniencies);
}
