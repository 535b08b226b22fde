import type { Service } from "../service/service.ts";
import type { Exchange } from "./exchange.ts";
import { describeApi } from "./openapi.ts";
import type { Api, BasePaths, Operation } from "./operation.ts";
import { fail, failWith, type Reply, serveDocument } from "./reply.ts";
import { type KeepOpen, originOf, targetOf } from "./request.ts";
import { status } from "./status.ts";
import { stkpush } from "./stkpush.ts";
import { transactions } from "./transactions.ts";
import type { ResponseForm } from "./view.ts";

/** The three operations of §4, each below the base address. */
const OPERATIONS = [
  { path: "/stkpush.php", method: "POST", operation: stkpush },
  { path: "/status.php", method: "POST", operation: status },
  { path: "/transactions.php", method: "GET", operation: transactions },
] as const;

/** Where the description of the API stands. */
const OPENAPI_PATH = "/openapi.json";

export interface ApiOptions {
  readonly service: Service;
  readonly basePaths: BasePaths;
  readonly form: ResponseForm;
  /** Of this program, for the description of the API. */
  readonly version: string;
  /** Told of bugs; the caller sees a fixed text. */
  readonly reportFault: (error: unknown) => void;
}

/**
 * The merchant API as a function from request to answer. Every request is checked in one order: path (404), method (405),
 * credentials (401), content type and body (400), and then the operation itself.
 */
export function createApi({ service, basePaths, form, version, reportFault }: ApiOptions): Api {
  const operations = new Map<string, { method: string; operation: Operation }>(
    basePaths.flatMap((basePath) =>
      OPERATIONS.map(({ path, method, operation }) => [basePath + path, { method, operation }] as const),
    ),
  );
  const [first, ...others] = basePaths;
  const names = OPERATIONS.map(({ method, path }) => `${method} ${first}${path}`).join(", ");
  const elsewhere = others.map((basePath) => `, and the same below ${basePath || "/"}`).join("");

  /** The description of the API stands outside the base path and needs no credentials. */
  function description(request: Request): Reply {
    if (request.method !== "GET") return fail(405, "this path takes GET only", { Allow: "GET" });
    return serveDocument(describeApi({ basePaths, origin: originOf(request), form, version }));
  }

  async function answer(request: Request, exchange: Exchange, keepOpen: KeepOpen): Promise<Reply> {
    const { path, query } = targetOf(request);
    if (path === OPENAPI_PATH) return description(request);
    const known = operations.get(path);
    if (!known) return fail(404, `there is nothing at this path; the operations are ${names}${elsewhere}`);
    if (request.method !== known.method) {
      return fail(405, `this operation takes ${known.method} only`, { Allow: known.method });
    }
    const { headers } = request;
    const merchantId = await service.authenticate(headers.get("X-API-Key"), headers.get("X-API-Secret"));
    // A list waits until all that is due is resolved, however much that is after a long sleep.
    if (known.method === "GET" && service.resolver.isBehind) keepOpen(request);
    return known.operation(request, merchantId, { service, form, query, exchange });
  }

  return async (request, exchange, keepOpen = () => {}) => {
    try {
      return await answer(request, exchange, keepOpen);
    } catch (error) {
      return failWith(error, reportFault);
    }
  };
}
