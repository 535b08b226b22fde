import {
  Audit,
  type AuditOptions,
  type AuditReport,
  type FindingListener,
  type RunEnd,
} from "../../sandbox/audit/audit.ts";
import { LAST_INSTANT_MS, type VirtualClock } from "../../sandbox/network/clock.ts";
import { type DelayedRequest, REPLAY_HEADER, type RequestLog } from "../../sandbox/request-log.ts";
import type { Delivery } from "../../src/domain/delivery.ts";
import type { Service } from "../../src/service/service.ts";

interface Options extends AuditOptions {
  readonly log: Pick<RequestLog, "subscribe">;
  readonly service: Pick<Service, "subscribe" | "resolver">;
  readonly clock: VirtualClock;
  /** Milliseconds with fractions, from any beginning. */
  readonly stopwatch: () => number;
  readonly promptTimeoutMs: number;
  /** Resolves when the webhooks that are due were tried. */
  readonly settleDeliveries: () => Promise<void>;
}

export type ClientAudit = ReturnType<typeof auditClient>;

/** The audit of one sandbox: it gets every request and every change. */
export function auditClient(options: Options) {
  const { log, service, clock, stopwatch, promptTimeoutMs, settleDeliveries } = options;
  const delayed = new Set<DelayedRequest>();
  const audit = new Audit(options);
  let lastMs = 0;
  const moment = () => {
    // The stopwatch can stand still. The order of moments counts all the same.
    lastMs = Math.max(stopwatch(), lastMs + 0.001);
    return { nowMs: clock.nowMs(), realMs: lastMs, ranMs: clock.ranMs() };
  };
  log.subscribe((request) => {
    // A person has replayed the request: the client did not send it.
    if (!request.headers.has(REPLAY_HEADER)) audit.call(request, moment());
  });
  service.subscribe((transaction) => audit.changed(transaction, moment()));
  return {
    /** The requests of this chapter that are delayed now. */
    delayed,
    // While requests are delayed, it is unknown what a client fails to do that goes on.
    report: (end: RunEnd | null) => audit.report(delayed.size > 0 && !end ? null : moment(), end, delayed),
    forget() {
      delayed.clear();
      audit.forget(moment());
    },
    beginChapter() {
      audit.beginChapter(moment(), delayed.size > 0);
      delayed.clear();
    },
    delivered: (delivery: Delivery) => audit.delivered(delivery, moment()),
    accountOpened: (id: number) => audit.accountOpened(id, moment()),
    subscribe: (listener: FindingListener) => audit.subscribe(listener),
    /** Ends all payments, and reports on a client that has ended: it sends no more requests. */
    async finish(end: RunEnd): Promise<AuditReport> {
      const ended = moment();
      audit.clientEnded(ended);
      // Near the year 9999 it cannot move so far: then some payments stay pending.
      clock.advance(Math.max(0, Math.min(promptTimeoutMs, LAST_INSTANT_MS - clock.nowMs())));
      await service.resolver.resolveDue();
      await settleDeliveries();
      return audit.report(moment(), { ...end, atMs: ended.nowMs }, delayed);
    },
  };
}
