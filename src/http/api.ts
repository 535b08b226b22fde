import { Refusal } from "../domain/error.ts";
import type { Service } from "../service/service.ts";
import type { ResponseForm } from "./answers.ts";
import type { Exchange, Leniency } from "./exchange.ts";
import { parseInput } from "./input.ts";
import { normalise, readLenientBody } from "./lenient.ts";
import type { Accept, Api, BasePaths, Operation } from "./operation.ts";
import { fail, failWith, type Reply, serveDocument } from "./reply.ts";
import { originOf, readJsonObject, readQuery, readText, targetOf } from "./request.ts";
import { status } from "./status.ts";
import { stkpush } from "./stkpush.ts";
import { transactions } from "./transactions.ts";

/** The three operations of §4, each below the base address. */
const OPERATIONS = [
  { path: "/stkpush.php", method: "POST", operation: stkpush },
  { path: "/status.php", method: "POST", operation: status },
  { path: "/transactions.php", method: "GET", operation: transactions },
] as const;

/** The input of each operation, by its path: the members of its body, or the parameters of its query. */
export const INPUTS: ReadonlyMap<string, readonly string[]> = new Map(
  OPERATIONS.map(({ path, operation }) => [path, Object.keys(operation.schema.shape)]),
);

/** An operation, with the method of its path. */
interface Known {
  readonly method: "GET" | "POST";
  readonly operation: Operation;
  /** The members of its body, or the parameters of its query. */
  readonly members: readonly string[];
}

/** The path of the OpenAPI description. */
const OPENAPI_PATH = "/openapi.json";

export interface ApiOptions {
  readonly service: Service;
  readonly basePaths: BasePaths;
  readonly accept: Accept;
  readonly form: ResponseForm;
  /** The version of this program, for the OpenAPI description. */
  readonly version: string;
  /** Called with bugs; the client gets a fixed text. */
  readonly reportFault: (error: unknown) => void;
}

/**
 * The merchant API. It checks every request in this order: path (404), method (405), credentials (401), content type and body
 * (400). Then the operation runs.
 */
export function createApi({ service, basePaths, accept, form, version, reportFault }: ApiOptions): Api {
  const operations = new Map<string, Known>(
    basePaths.flatMap((basePath) =>
      OPERATIONS.map(({ path, method, operation }) => {
        const members = INPUTS.get(path) ?? [];
        return [basePath + path, { method, operation, members }] as const;
      }),
    ),
  );
  const [first, ...others] = basePaths;
  const names = OPERATIONS.map(({ method, path }) => `${method} ${first}${path}`).join(", ");
  const elsewhere = others.map((basePath) => `, and the same below ${basePath || "/"}`).join("");

  /**
   * The OpenAPI description is outside the base path and needs no credentials. It is loaded on first use: it takes 3 ms and 1 MB,
   * and the first payment would wait for it.
   */
  async function description(request: Request): Promise<Reply> {
    if (request.method !== "GET") return fail(405, "this path takes GET only", { Allow: "GET" });
    const { describeApi } = await import("./openapi.ts");
    return serveDocument(describeApi({ basePaths, origin: originOf(request), form, version }));
  }

  /** The input of the operation, in the form that its schema expects. */
  async function readLeniently(request: Request, known: Known, exchange: Exchange): Promise<object> {
    const body = known.method === "GET" ? null : await readText(request, exchange);
    return lenientInput(request, body, known, exchange.leniencies);
  }

  function read(request: Request, query: string, known: Known, exchange: Exchange): object | Promise<object> {
    if (accept === "lenient") return readLeniently(request, known, exchange);
    return known.method === "GET" ? readQuery(query, known.members) : readJsonObject(request, exchange);
  }

  function wouldTake(request: Request, body: string | null): boolean {
    const known = operations.get(targetOf(request).path);
    // Bytes that are not UTF-8 were replaced.
    if (accept === "lenient" || !known || body?.includes("\u{FFFD}")) return false;
    const leniencies: Leniency[] = [];
    try {
      parseInput(known.operation.schema, lenientInput(request, body, known, leniencies));
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
    return leniencies.length > 0;
  }

  return {
    async answer(request, exchange, keepOpen = () => {}) {
      try {
        const { path, query } = targetOf(request);
        if (path === OPENAPI_PATH) return await description(request);
        const known = operations.get(path);
        if (!known) return fail(404, `there is nothing at this path; the operations are ${names}${elsewhere}`);
        if (request.method !== known.method) {
          return fail(405, `this operation takes ${known.method} only`, { Allow: known.method });
        }
        const { headers } = request;
        // An await costs a turn of the queue, also where there is nothing to wait for.
        const owner = service.authenticate(headers.get("X-API-Key"), headers.get("X-API-Secret"));
        const merchantId = owner instanceof Promise ? await owner : owner;
        // A list waits until all due payments are resolved, and a long search for others: longer than a connection may be silent.
        if (known.method === "GET") keepOpen(request);
        const input = parseInput(known.operation.schema, await read(request, query, known, exchange));
        const reply = known.operation.carryOut(input, merchantId, { service, form, request });
        return reply instanceof Promise ? await reply : reply;
      } catch (error) {
        return failWith(error, reportFault);
      }
    },
    wouldTake,
  };
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
