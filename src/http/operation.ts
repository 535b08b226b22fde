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
