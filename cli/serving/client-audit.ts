import {
  Audit,
  type AuditOptions,
  type AuditReport,
  type FindingListener,
  type RunEnd,
} from "../../sandbox/audit/audit.ts";
import type { Instant } from "../../sandbox/audit/facts/payment.ts";
import { LAST_INSTANT_MS, type VirtualClock } from "../../sandbox/network/clock.ts";
import { type DelayedRequest, OWN_HEADER, type RequestLog } from "../../sandbox/request-log.ts";
import type { Delivery } from "../../src/domain/delivery.ts";
import type { Service } from "../../src/service/service.ts";

interface Options extends AuditOptions {
  readonly log: RequestLog;
  readonly service: Service;
  readonly clock: VirtualClock;
  /** Milliseconds with fractions, from any beginning. */
  readonly stopwatch: () => number;
  /** The secret that momo's own requests have in {@link OWN_HEADER}. */
  readonly ownSecret: string;
  readonly promptTimeoutMs: number;
  /** Resolves when the webhooks that are due were tried. */
  readonly settleDeliveries: () => Promise<void>;
}

export interface ClientAudit {
  /** The requests of this chapter that are delayed now. */
  readonly delayed: Set<DelayedRequest>;
  readonly report: (end: RunEnd | null) => AuditReport;
  readonly forget: () => void;
  beginChapter(): void;
  readonly delivered: (delivery: Delivery) => void;
  readonly accountOpened: (id: number) => void;
  readonly subscribe: (listener: FindingListener) => () => void;
  /**
   * Ends all payments, and reports on a client that `momo exec` has run, and that sends no more requests.
   * @param hosts those whose requests should have come here
   */
  finish(hosts?: readonly string[]): Promise<AuditReport>;
}

/** The audit of one sandbox: it gets every request and every change. */
export function auditClient(options: Options): ClientAudit {
  const { log, service, clock, stopwatch, ownSecret, promptTimeoutMs, settleDeliveries } = options;
  const delayed = new Set<DelayedRequest>();
  const audit = new Audit(options);
  const now = (): Instant => ({ atMs: clock.nowMs(), order: log.nextPlace(), realMs: stopwatch() });
  const isOwn = (headers: Headers) => headers.get(OWN_HEADER) === ownSecret;
  const delayedOfClient = () => [...delayed].filter(({ headers }) => !isOwn(headers));
  log.subscribe((request) => {
    if (!isOwn(request.headers)) audit.call(request, now());
  });
  service.subscribe((transaction) => audit.changed(transaction, now()));
  return {
    delayed,
    report: (end: RunEnd | null) => audit.report(now(), end, delayedOfClient()),
    forget: () => audit.forget(),
    beginChapter() {
      audit.beginChapter(now(), delayedOfClient());
      delayed.clear();
    },
    delivered: (delivery: Delivery) => audit.delivered(delivery, now()),
    accountOpened: (id: number) => audit.accountOpened(id, now()),
    subscribe: (listener: FindingListener) => audit.subscribe(listener),
    async finish(hosts?: readonly string[]): Promise<AuditReport> {
      const atMs = clock.nowMs();
      // Near the year 9999 it cannot move so far: then some payments stay pending.
      clock.advance(Math.max(0, Math.min(promptTimeoutMs, LAST_INSTANT_MS - atMs)));
      await service.resolver.resolveDue();
      await settleDeliveries();
      return audit.report(now(), { isWhole: true, atMs, hosts }, delayedOfClient());
    },
  };
}
