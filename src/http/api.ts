import type { Service } from "../service/service.ts";
import { fail, failWith, serveDocument } from "./reply.ts";
import { expectPlainPath, type Handler, targetOf } from "./request.ts";
import type { ResponseForm } from "./view.ts";

/** What an operation is given besides its request. */
export interface OperationContext {
  readonly service: Service;
  readonly form: ResponseForm;
  /** The raw query string, without its question mark. */
  readonly query: string;
}

/** What an operation does with a request of a merchant's. */
export type Operation = (request: Request, merchantId: number, context: OperationContext) => Promise<Response>;

/** The three operations of §4, each below the base address. One is loaded with its first request: a server is ready sooner. */
const OPERATIONS = [
  { path: "/stkpush.php", method: "POST", load: async () => (await import("./stkpush.ts")).stkpush },
  { path: "/status.php", method: "POST", load: async () => (await import("./status.ts")).status },
  { path: "/transactions.php", method: "GET", load: async () => (await import("./transactions.ts")).transactions },
] as const;

/** The paths of the operations below the base address. */
export const OPERATION_PATHS = OPERATIONS.map(({ path }) => path);

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
  const operations = new Map(
    OPERATIONS.map(({ path, method, load }) => [basePath + path, { method, load, handle: null as Operation | null }]),
  );
  const known = OPERATIONS.map(({ method, path }) => `${method} ${basePath}${path}`).join(", ");

  /** The description of the API stands outside the base path and needs no credentials; few ask for it. */
  async function description(request: Request): Promise<Response> {
    if (request.method !== "GET") return fail(405, "this path takes GET only", { Allow: "GET" });
    const { describeApi } = await import("./openapi.ts");
    return serveDocument(describeApi(basePath, form, version));
  }

  async function answer(request: Request): Promise<Response> {
    expectPlainPath(request);
    const { path, query } = targetOf(request);
    if (path === OPENAPI_PATH) return description(request);
    const operation = operations.get(path);
    if (!operation) return fail(404, `there is nothing at this path; the operations are ${known}`);
    if (request.method !== operation.method) {
      return fail(405, `this operation takes ${operation.method} only`, { Allow: operation.method });
    }
    const { headers } = request;
    const merchantId = await service.authenticate(headers.get("X-API-Key"), headers.get("X-API-Secret"));
    operation.handle ??= await operation.load();
    return operation.handle(request, merchantId, { service, form, query });
  }

  return async (request) => {
    try {
      return await answer(request);
    } catch (error) {
      return failWith(error, reportFault);
    }
  };
}
