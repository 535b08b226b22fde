import type { Clock } from "../../src/domain/clock.ts";
import { createListeners } from "../../src/domain/listeners.ts";
import { type Random, token } from "../../src/domain/random.ts";
import { createRepeater } from "../../src/domain/repeater.ts";
import type { Transaction } from "../../src/domain/transaction.ts";
import type { Service } from "../../src/service/service.ts";
import type { FindingListener } from "../audit/audit.ts";
import type { LoggedRequest, RequestLog } from "../request-log.ts";
import type { Webhooks } from "../webhooks/webhooks.ts";
import type { SteeringPart } from "./shapes/requests.ts";
import { deliveryView, messageView, requestView, transactionView } from "./views.ts";

export interface EventListener {
  /** There is something to read. */
  readonly wake: () => void;
  /** The server stops. */
  readonly end: () => void;
}

interface Reader {
  /** The number of the last event that it has read; null if it came with an id that is not known here. */
  place: number | null;
}

export interface EventHub {
  readonly isFull: boolean;
  /**
   * A position in the stream. Its listener reads at its own pace; nothing is copied for it.
   * @param lastId the id of the event after which to read on; null: from now on
   */
  enter(
    lastId: string | null,
    listener: EventListener,
  ): {
    /** The id of the event after which it reads; null if it came with an id that is not known here. */
    readonly id: string | null;
    /** The events since the last reading, up to a bound; empty if there are none. */
    read(): string;
    leave(): void;
  };
  /** Announces which settings were changed, so that every page loads them again. */
  steered(parts: readonly SteeringPart[]): void;
  close(): void;
}

export interface EventSources {
  readonly service: Service;
  /** Real time. */
  readonly realClock: Clock;
  readonly log: RequestLog;
  readonly audit: { readonly subscribe: (listener: FindingListener) => () => void };
  readonly webhooks: Webhooks;
  readonly random: Random;
  readonly reportFault: (error: unknown) => void;
}

const MAX_LISTENERS = 100;

/** The approximate sizes of events in memory; of a request without its texts. */
const BYTES = { transaction: 600, message: 600, request: 1500, audit: 2000, webhook: 3000, steering: 0, gap: 0 };

/** How often to poll for changes of other replicas. */
const POLL_MS = 250;

/** Collects all events in one order, and gives them to all listeners. */
export function createEventHub(sources: EventSources): EventHub {
  const { service, log, audit, webhooks, random, reportFault } = sources;
  /** Makes the ids of this process different from those of others. */
  const boot = token(random, 8);
  const history = createEventHistory(boot);
  const readers = new Set<Reader>();
  const news = createListeners<[]>(reportFault);
  const endings = createListeners<[]>(reportFault);
  let isStarted = false;
  // There are no events of other replicas. The gap is kept, so that a client that reconnects gets it, too.
  const others = watchOthers(
    sources,
    () => readers.size > 0,
    () => add("gap", () => ({})),
  );

  function add(name: keyof typeof BYTES, view: () => object, moreBytes = 0): void {
    history.add(name, view, BYTES[name] + moreBytes);
    news.announce();
  }

  async function addTransaction(transaction: Transaction): Promise<void> {
    add("transaction", () => transactionView(transaction));
    if (transaction.status !== "completed") return;
    const business = await service.registry.nameOf(transaction.merchantId);
    add("message", () => messageView(transaction, business));
  }

  /** Keep no events before the first listener: most sandboxes have none. */
  function startOnce(): void {
    if (isStarted) return;
    isStarted = true;
    service.subscribe((transaction) => void addTransaction(transaction).catch(reportFault));
    log.subscribe((_answered, request) => add("request", () => requestView(request), lengthOf(request)));
    audit.subscribe((finding) => add("audit", () => finding));
    webhooks.subscribe((delivery) => add("webhook", () => deliveryView(delivery)));
  }

  return {
    get isFull() {
      return readers.size >= MAX_LISTENERS;
    },
    enter(lastId: string | null, listener: EventListener) {
      startOnce();
      const reader: Reader = { place: lastId === null ? history.last : numberOf(lastId, boot) };
      readers.add(reader);
      const subscriptions = [news.subscribe(() => listener.wake()), endings.subscribe(() => listener.end())];
      others.start();
      return {
        id: reader.place === null ? null : `${boot}-${reader.place}`,
        read(): string {
          const events = reader.place === null ? null : history.after(reader.place);
          reader.place = events?.number ?? history.last;
          // Events are missing: the reader must read everything again.
          return events?.text ?? `event: gap\nid: ${boot}-${reader.place}\ndata: {}\n\n`;
        },
        leave(): void {
          readers.delete(reader);
          for (const unsubscribe of subscriptions) unsubscribe();
        },
      };
    },
    steered(parts: readonly SteeringPart[]): void {
      if (isStarted) for (const what of parts) add("steering", () => ({ what }));
    },
    close(): void {
      others.stop();
      endings.announce();
    },
  };
}

/** Polls whether other replicas have changed transactions in a shared store. */
function watchOthers({ service, realClock, reportFault }: EventSources, isNeeded: () => boolean, onChange: () => void) {
  let mark: string | null = null;

  async function poll(): Promise<void> {
    const before = mark;
    mark = await service.replicaChangeToken();
    if (before !== null && before !== mark) onChange();
  }

  return createRepeater({
    clock: realClock,
    everyMs: POLL_MS,
    isNeeded: () => service.isShared && isNeeded(),
    work: poll,
    onError: reportFault,
  });
}

/** The number in an id of this process; null for other ids. */
function numberOf(id: string, boot: string): number | null {
  const number = id.startsWith(`${boot}-`) ? id.slice(boot.length + 1) : "";
  return /^[0-9]{1,15}$/.test(number) ? Number(number) : null;
}

function lengthOf({ target, headers, body, answer }: LoggedRequest): number {
  let length = target.length + (body?.length ?? 0) + (answer?.length ?? 0);
  for (const [name, value] of headers) length += name.length + value.length;
  return length;
}

/** An event. Its JSON is made when it is first read. */
interface Entry {
  readonly name: string;
  readonly view: () => object;
  /** Its approximate size in memory. */
  bytes: number;
  text: string | null;
}

/** How many events are kept. */
const CAPACITY = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** How much one reading returns. Other work has its turn before the next one. */
const MOST_AT_ONCE = 100;
const MOST_LENGTH_AT_ONCE = 32 * 1024;

/**
 * Past events, also for clients that reconnect: the last 10,000, or as many as fit into 8 MB.
 * @param boot a prefix of each id, which distinguishes the ids of this process from those of another
 */
export function createEventHistory(boot: string) {
  /** Oldest first. */
  const kept: Entry[] = [];
  let last = 0;
  let bytes = 0;

  function shrink(): void {
    while (kept.length > CAPACITY || bytes > MAX_BYTES) bytes -= kept.shift()?.bytes ?? 0;
  }

  /** The text is made once for all readers, and then counts as memory. */
  function textOf(number: number): string {
    const entry = kept.at(number - last - 1);
    if (!entry) return "";
    if (entry.text === null) {
      const { name, view } = entry;
      entry.text = `event: ${name}\nid: ${boot}-${number}\ndata: ${JSON.stringify(view())}\n\n`;
      entry.bytes += entry.text.length;
      bytes += entry.text.length;
    }
    return entry.text;
  }

  return {
    /** The number of the last event. The first has the number 1. */
    get last() {
      return last;
    },
    /** Keeps a reference, not the text, so that unread events cost almost nothing. */
    add(name: string, view: () => object, size: number): void {
      last += 1;
      kept.push({ name, view, bytes: size, text: null });
      bytes += size;
      shrink();
    },
    /**
     * The events after that number as server-sent events, the oldest first, up to the bound of one reading.
     * @returns null if some of them are no longer kept
     */
    after(number: number): { readonly text: string; readonly number: number } | null {
      if (number < last - kept.length || number > last) return null;
      const end = Math.min(number + MOST_AT_ONCE, last);
      let text = "";
      let read = number;
      while (read < end && text.length < MOST_LENGTH_AT_ONCE) {
        read += 1;
        text += textOf(read);
      }
      shrink();
      return { text, number: read };
    },
  };
}
