import { type Calls, type ControlContext, call, textReply } from "./context.ts";

/** The text form of Prometheus. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

type Labels = Readonly<Record<string, string | number>>;
type Sample = readonly [value: number, labels?: Labels | undefined, suffix?: string];

/**
 * Counts and times of this server since its start. They show how many payments there are, so they need the token like the other calls.
 */
export const METRICS_CALLS: Calls = {
  "/metrics": {
    GET: call(null, { texts: ["text/plain"] }, async (context) => textReply(await metricsOf(context), METRICS_TYPE)),
  },
};

export async function metricsOf({
  service,
  webhooks,
  requestCounts,
  replica,
  version,
}: ControlContext): Promise<string> {
  const { vitals, resolver } = service;
  const { work, engine } = vitals;
  const [look, dueAtMs, webhookAtMs] = await Promise.all([
    vitals.measure(),
    service.nextCheckAtMs(),
    service.deliveries.nextDueAtMs(0),
  ]);
  const lateBy = (atMs: number | null) => Math.max(0, service.nowMs() - (atMs ?? Number.POSITIVE_INFINITY)) / 1000;
  const own: Labels = replica === null ? {} : { replica: replica.name };
  const lines = [
    gauge("momo_info", "The version of momo and its engine", 1, { version, engine, ...own }),
    counter(
      "momo_requests_total",
      "Requests to the merchant API, by operation and status",
      requestCounts.list().map(({ operation, status, count }) => [count, { operation, status }]),
    ),
    family("momo_commit_seconds", "histogram", "How long a commit takes", [
      ...work.commitTimes.map(({ seconds, count }): Sample => [count, { le: seconds }, "_bucket"]),
      [work.commits, { le: "+Inf" }, "_bucket"],
      [work.commitSeconds, {}, "_sum"],
      [work.commits, {}, "_count"],
    ]),
    counter("momo_commit_rows_total", "Writes in these commits", [[work.rows]]),
    counter(
      "momo_retries_total",
      "Writes that were tried again, by reason",
      [...work.retries].map(([reason, count]) => [count, { reason }]),
    ),
    counter("momo_unknown_outcomes_total", "Commits without an answer, which may be stored", [[work.unknownOutcomes]]),
    family("momo_check_lateness_seconds", "summary", "How late due prompts are checked", [
      [resolver.lateness.sumMs / 1000, {}, "_sum"],
      [resolver.lateness.count, {}, "_count"],
    ]),
    gauge("momo_due_lag_seconds", "How late the earliest due prompt is now", lateBy(dueAtMs)),
    counter(
      "momo_webhook_attempts_total",
      "Attempts to deliver a webhook, by result",
      Object.entries(webhooks.attempts).map(([result, count]) => [count, { result }]),
    ),
    gauge("momo_webhook_lag_seconds", "How late the earliest due webhook of all servers is now", lateBy(webhookAtMs)),
    gauge("momo_pending", "Payments that are pending", look.pending),
    gauge(
      "momo_clock_offset_seconds",
      "How far the engine's clock is ahead of this machine's",
      look.clockOffsetMs / 1000,
    ),
    gauge("momo_durability", "Where an answered payment is kept", 1, { level: look.durability }),
    gauge("momo_connections", "Connections to the engine", look.connections),
    gauge("momo_searches", "Broad searches that run or wait for their turn", look.longReads),
  ];
  return lines.join("");
}

/** Left out if the engine has no such value. */
const gauge = (name: string, help: string, value: number | null, labels?: Labels): string =>
  value === null ? "" : family(name, "gauge", help, [[value, labels]]);

const counter = (name: string, help: string, samples: readonly Sample[]): string =>
  family(name, "counter", help, samples);

function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([value, labels = {}, suffix = ""]) => `${name}${suffix}${written(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
