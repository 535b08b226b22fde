import type { z } from "zod";
import type { RefusalKind } from "../domain/error.ts";
import type { Transaction } from "../domain/transaction.ts";
import type { Service } from "../service/service.ts";
import type { DescribedCall } from "./description.ts";
import type { OPERATION_PATHS } from "./paths.ts";
import type { Profile, RefusalAnswer } from "./profile.ts";
import type { Reply } from "./reply.ts";
import type { Exchange, KeepOpen } from "./request.ts";

/** The merchant API from request to answer. */
export interface Api {
  /** It never throws. */
  answer(request: Request, exchange: Exchange, keepOpen?: KeepOpen): Promise<Reply>;
  /**
   * Whether the lenient form accepts a request that the strict form has refused.
   * @param body its body as text, as far as it was read
   */
  wouldTake(request: Request, body: string | null): boolean;
}

/** What an operation gets besides its input. */
export interface OperationContext {
  readonly service: Service;
  readonly profile: Profile;
  /** The answers to `/status.php`, as long as their transactions are in memory. */
  readonly statusReplies: WeakMap<Transaction, Reply>;
  /** For its headers, and to know when its client has gone. */
  readonly request: Request;
  /** Where it says which payment it was about. */
  readonly exchange: Exchange;
}

/** One of the three operations (§4). */
export interface Operation<Schema extends z.ZodObject = z.ZodObject>
  extends Pick<Required<DescribedCall>, "operationId" | "summary"> {
  readonly path: (typeof OPERATION_PATHS)[number];
  readonly method: "GET" | "POST";
  /** The members of its body; with the method GET, the parameters of its query. */
  readonly schema: Schema;
  /** Whether the members of a body are certainly such an input, so that the schema need not check them. */
  readonly fits?: (members: object) => members is z.output<Schema>;
  carryOut(input: z.output<Schema>, merchantId: number, context: OperationContext): Reply | Promise<Reply>;
  /** The answer that a profile has for a refusal of this kind, instead of momo's own. */
  readonly refusedBy: (profile: Profile, kind: RefusalKind) => RefusalAnswer | undefined;
}
