import type { Clock } from "../../src/domain/clock.ts";
import type { Delivery } from "./delivery-book.ts";

/** How many attempts are in progress at once. */
export const MAX_IN_FLIGHT = 16;

/**
 * The deliveries that wait for an attempt, with one alarm for the earliest.
 * @param attempt never rejects
 */
export function createDeliveryQueue(clock: Clock, attempt: (delivery: Delivery) => Promise<void>) {
  /** The earliest first. Those that are due at the same time stay in the order of `add`. */
  const waiting: Delivery[] = [];
  let inFlight = 0;
  let alarmAtMs = Number.POSITIVE_INFINITY;
  let cancelAlarm = () => {};

  /** Sets the alarm. It rings in a later turn of the event loop, so that adding a delivery takes no time. */
  function watch(): void {
    const atMs = inFlight < MAX_IN_FLIGHT ? waiting[0]?.dueAtMs : undefined;
    if (atMs === undefined || atMs >= alarmAtMs) return;
    cancelAlarm();
    alarmAtMs = atMs;
    cancelAlarm = clock.alarm(atMs, () => {
      alarmAtMs = Number.POSITIVE_INFINITY;
      startDue();
    });
  }

  function startDue(): void {
    const nowMs = clock.nowMs();
    while (inFlight < MAX_IN_FLIGHT) {
      const [first] = waiting;
      if (!first || first.dueAtMs > nowMs) break;
      waiting.shift();
      inFlight += 1;
      void attempt(first).finally(() => {
        inFlight -= 1;
        startDue();
      });
    }
    watch();
  }

  return {
    add(delivery: Delivery): void {
      const place = waiting.findLastIndex(({ dueAtMs }) => dueAtMs <= delivery.dueAtMs) + 1;
      waiting.splice(place, 0, delivery);
      watch();
    },
    /** Forgets the waiting ones. Those in progress end by themselves. */
    clear(): void {
      waiting.length = 0;
      cancelAlarm();
      alarmAtMs = Number.POSITIVE_INFINITY;
    },
  };
}
