import type { Service } from "../service/service.ts";
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

/** The paths of the three operations below the base address (§4). */
export const OPERATION_PATHS = ["/stkpush.php", "/status.php", "/transactions.php"] as const;
