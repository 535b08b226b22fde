import type { CompletedTransaction, Transaction } from "../../src/domain/transaction.ts";
import type { Service } from "../../src/service/service.ts";
import type { Audit } from "../audit/audit.ts";
import type { LoggedRequest, RequestLog } from "../request-log.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import { deliveryView } from "./delivery-view.ts";
import { createEventHistory } from "./event-history.ts";
import type { MerchantNames } from "./merchant-names.ts";
import { messageView } from "./message-view.ts";
import { requestView } from "./request-view.ts";
import { transactionView } from "./transaction-view.ts";

/** What somebody has changed about the sandbox itself. */
export type Steering = "rules" | "faults" | "clock" | "default" | "webhook" | "registry" | "restore" | "reset";

/** Somebody who reads the stream of events. */
export interface EventListener {
  /** There is something to read. */
  readonly wake: () => void;
  /** The server stops. */
  readonly end: () => void;
}

/** A listener's place in the stream. It reads at its own pace; nothing is kept for it alone. */
export interface EventPlace {
  /** What has happened since the last reading, or the beginning of it; empty where nothing has. */
  read(): string;
  leave(): void;
}

export interface EventHub {
  readonly isFull: boolean;
  /** @param lastId the id of the event after which to read on; null: from now on */
  enter(lastId: string | null, listener: EventListener): EventPlace;
  /** Tells that something was steered, so that every page looks again. */
  steered(what: Steering): void;
  /** Ends every stream. */
  close(): void;
}

export interface EventSources {
  readonly service: Pick<Service, "subscribe">;
  readonly log: Pick<RequestLog, "subscribe">;
  readonly audit: Pick<Audit, "subscribe">;
  readonly webhooks: Pick<Webhooks, "subscribe">;
  readonly merchantNames: MerchantNames;
  /** Tells the ids of this process from those of another. */
  readonly boot: string;
  readonly reportFault: (error: unknown) => void;
}

/** How many can listen at once. */
const CAPACITY = 100;

/** A transaction, and a logged call beside its texts, in memory, roughly. */
const TRANSACTION_BYTES = 600;
const REQUEST_BYTES = 1500;

/** A finding in memory, roughly. */
const FINDING_BYTES = 2000;

/** A delivery in memory, roughly. */
const DELIVERY_BYTES = 3000;

/** Puts all that happens into one row, and hands it to all who listen. */
export function createEventHub(sources: EventSources): EventHub {
  const { service, log, audit, webhooks, merchantNames, boot, reportFault } = sources;
  const history = createEventHistory(boot);
  const listeners = new Set<EventListener>();
  let isKeeping = false;

  function tell(name: string, view: () => object, bytes: number): void {
    history.add(name, view, bytes);
    for (const listener of listeners) listener.wake();
  }

  function tellTransaction(transaction: Transaction): void {
    tell("transaction", () => transactionView(transaction), TRANSACTION_BYTES);
    if (transaction.status === "completed") void tellMessage(transaction).catch(reportFault);
  }

  async function tellMessage(payment: CompletedTransaction): Promise<void> {
    const business = await merchantNames.of(payment.merchantId);
    tell("message", () => messageView(payment, business), TRANSACTION_BYTES);
  }

  /** Nothing is kept before somebody listens: most sandboxes are used without, and pay nothing for it. */
  function beginToKeep(): void {
    if (isKeeping) return;
    isKeeping = true;
    service.subscribe(tellTransaction);
    log.subscribe((request) => tell("request", () => requestView(request), bytesOf(request)));
    audit.subscribe((finding) => tell("audit", () => finding, FINDING_BYTES));
    webhooks.subscribe((delivery) => tell("webhook", () => deliveryView(delivery), DELIVERY_BYTES));
  }

  /** The number in an id of ours; null for one of another process, or of nobody. */
  function numberOf(id: string): number | null {
    const number = id.startsWith(`${boot}-`) ? id.slice(boot.length + 1) : "";
    return /^[0-9]{1,15}$/.test(number) ? Number(number) : null;
  }

  return {
    get isFull() {
      return listeners.size >= CAPACITY;
    },
    enter(lastId, listener) {
      beginToKeep();
      listeners.add(listener);
      let place = lastId === null ? history.last : numberOf(lastId);
      return {
        read() {
          const events = place === null ? null : history.after(place);
          place = events?.number ?? history.last;
          // What is missing is not told piece by piece: whoever reads this must look at everything afresh.
          return events?.text ?? `event: gap\nid: ${boot}-${place}\ndata: {}\n\n`;
        },
        leave: () => listeners.delete(listener),
      };
    },
    steered(what) {
      if (isKeeping) tell("steering", () => ({ what }), 0);
    },
    close() {
      for (const listener of listeners) listener.end();
    },
  };
}

/** What a logged call holds in memory, roughly. */
function bytesOf({ target, headers, body, answer }: LoggedRequest): number {
  let length = target.length + (body?.length ?? 0) + (answer?.length ?? 0);
  for (const [name, value] of headers) length += name.length + value.length;
  return REQUEST_BYTES + length;
}
