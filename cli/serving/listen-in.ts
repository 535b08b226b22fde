import { type AuditReport, createAudit, type FindingListener } from "../../sandbox/audit/audit.ts";
import type { VirtualClock } from "../../sandbox/network/clock.ts";
import { REPLAY_HEADER, type RequestLog } from "../../sandbox/request-log.ts";
import type { Service } from "../../src/service/service.ts";

export interface ListenInOptions {
  readonly log: Pick<RequestLog, "subscribe">;
  readonly service: Pick<Service, "subscribe" | "resolver">;
  readonly clock: VirtualClock;
  /** Milliseconds with fractions, from any beginning. */
  readonly stopwatch: () => number;
  readonly basePaths: readonly string[];
  readonly promptLifetimeMs: number;
  /** Whether payments are also told by a webhook. */
  readonly hasWebhook: () => boolean;
}

/** The audit of one sandbox: it hears every call and every change. */
export interface ListeningAudit {
  /** How many calls a delay holds up now. */
  readonly delays: { underWay: number };
  report(): AuditReport;
  forget(): void;
  subscribe(listener: FindingListener): () => void;
  /** The report on a client that has ended: all payments come to their end, and what it has not asked by now it never asks. */
  finish(): Promise<AuditReport>;
}

export function listenIn(options: ListenInOptions): ListeningAudit {
  const { log, service, clock, stopwatch, basePaths, promptLifetimeMs, hasWebhook } = options;
  const delays = { underWay: 0 };
  const audit = createAudit({ basePaths, hasWebhook });
  const moment = () => ({ nowMs: clock.nowMs(), realMs: stopwatch(), livedMs: clock.livedMs() });
  log.subscribe((logged, { body, answer }) => {
    // A person has sent it again: no client did this.
    if (logged.headers.has(REPLAY_HEADER)) return;
    const isCut = logged.bodyCutBytes > 0 || logged.answerCutBytes > 0;
    audit.call(isCut ? { ...logged, body, answer } : logged, moment());
  });
  service.subscribe((transaction) => audit.changed(transaction, moment()));
  return {
    delays,
    // What a client has not done is not known while its calls are held up.
    report: () => audit.report(delays.underWay > 0 ? null : moment()),
    forget: () => audit.forget(moment()),
    subscribe: audit.subscribe,
    async finish() {
      audit.clientEnded(moment());
      clock.advance(promptLifetimeMs);
      await service.resolver.settle();
      return audit.report(moment());
    },
  };
}
