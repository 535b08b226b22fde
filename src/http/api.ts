import type { Service } from "../service/service.ts";
import { describeApi } from "./openapi.ts";
import type { Operation } from "./operation.ts";
import { fail, failWith, serveDocument } from "./reply.ts";
import { expectPlainPath, type Handler, type KeepOpen, originOf, targetOf } from "./request.ts";
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
  /** What stands before the paths of the operations: empty, or `/v2`. */
  readonly basePath: string;
  readonly form: ResponseForm;
  /** Of this program, for the description of the API. */
  readonly version: string;
  /** Told of bugs; the caller sees a fixed text. */
  readonly reportFault: (error: unknown) => void;
}

/**
 * The merchant API as a function from request to answer. Every request is checked in one order: path (404), method (405),
 * credentials (401), content type and body (400), and then the operation itself. It never throws.
 */
export function createApi({ service, basePath, form, version, reportFault }: ApiOptions): Handler {
  const operations = new Map<string, { method: string; operation: Operation }>(
    OPERATIONS.map(({ path, method, operation }) => [basePath + path, { method, operation }]),
  );
  const names = OPERATIONS.map(({ method, path }) => `${method} ${basePath}${path}`).join(", ");

  /** The description of the API stands outside the base path and needs no credentials. */
  function description(request: Request): Response {
    if (request.method !== "GET") return fail(405, "this path takes GET only", { Allow: "GET" });
    return serveDocument(describeApi({ basePath, origin: originOf(request), form, version }));
  }

  async function answer(request: Request, keepOpen: KeepOpen): Promise<Response> {
    expectPlainPath(request);
    const { path, query } = targetOf(request);
    if (path === OPENAPI_PATH) return description(request);
    const known = operations.get(path);
    if (!known) return fail(404, `there is nothing at this path; the operations are ${names}`);
    if (request.method !== known.method) {
      return fail(405, `this operation takes ${known.method} only`, { Allow: known.method });
    }
    const { headers } = request;
    const merchantId = await service.authenticate(headers.get("X-API-Key"), headers.get("X-API-Secret"));
    // A list waits until all that is due is resolved, however much that is after a long sleep.
    if (known.method === "GET" && service.resolver.isBehind) keepOpen(request);
    return known.operation(request, merchantId, { service, form, query });
  }

  return async (request, keepOpen = () => {}) => {
    try {
      return await answer(request, keepOpen);
    } catch (error) {
      return failWith(error, reportFault);
    }
  };
}
