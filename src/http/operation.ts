import type { Service } from "../service/service.ts";
import type { Exchange } from "./exchange.ts";
import type { Reply } from "./reply.ts";
import type { KeepOpen } from "./request.ts";
import type { ResponseForm } from "./view.ts";

/** The merchant API, from request to answer. It never throws. */
export type Api = (request: Request, exchange: Exchange, keepOpen?: KeepOpen) => Promise<Reply>;

/** What an operation is given besides its request. */
export interface OperationContext {
  readonly service: Service;
  readonly form: ResponseForm;
  /** The raw query string, without its question mark. */
  readonly query: string;
  readonly exchange: Exchange;
}

/** What an operation does with a request of a merchant's. */
export type Operation = (request: Request, merchantId: number, context: OperationContext) => Promise<Reply>;

/** The paths of the three operations below the base address (§4). */
export const OPERATION_PATHS = ["/stkpush.php", "/status.php", "/transactions.php"] as const;

/** What stands before the paths of the operations: empty, or such as `/v2`. The first is the one that is shown. */
export type BasePaths = readonly [first: string, ...more: string[]];

/** The operation that a path leads to, without its base path; null where there is none. */
export function operationAt(path: string, basePaths: readonly string[]): (typeof OPERATION_PATHS)[number] | null {
  for (const basePath of basePaths) {
    const operation = OPERATION_PATHS.find((candidate) => path === basePath + candidate);
    if (operation) return operation;
  }
  return null;
}
