import { itemView } from "../../src/http/view.ts";
import type { Service } from "../../src/service/service.ts";
import { logView, type RequestLog } from "../request-log.ts";

/** Somebody who reads the stream of events. */
export interface EventListener {
  /** An event in the format of server-sent events. */
  readonly send: (text: string) => void;
  /** The server stops. */
  readonly end: () => void;
}

/** How many can listen at once. */
const CAPACITY = 100;

/** Hands each event to all who listen; it is written out once, and not at all where nobody does. */
export interface EventHub {
  readonly isFull: boolean;
  /** @returns a function that gives the place up */
  enter(listener: EventListener): () => void;
  /** Ends every stream. */
  close(): void;
}

export function createEventHub(service: Pick<Service, "subscribe">, log: Pick<RequestLog, "subscribe">): EventHub {
  const listeners = new Set<EventListener>();

  function tell(name: string, view: () => object): void {
    if (listeners.size === 0) return;
    const text = `event: ${name}\ndata: ${JSON.stringify(view())}\n\n`;
    for (const listener of listeners) listener.send(text);
  }

  service.subscribe((transaction) => tell("transaction", () => itemView(transaction, "full")));
  log.subscribe((request) => tell("request", () => logView(request)));

  return {
    get isFull() {
      return listeners.size >= CAPACITY;
    },
    enter(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      for (const listener of listeners) listener.end();
    },
  };
}
