import { type Calls, type ControlContext, described, textReply } from "./context.ts";

/** The text form of Prometheus. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

type Labels = Readonly<Record<string, string | number>>;
type Sample = readonly [suffix: string, labels: Labels, value: number];

/**
 * Counts and times of this server since its start. They show how many payments there are, so they need the token like the other calls.
 */
export const METRICS_CALLS: Calls = {
  "/metrics": {
    GET: described("Counts and times for Prometheus", null, { texts: ["text/plain"] }, async (context) =>
      textReply(await metricsOf(context), METRICS_TYPE),
    ),
  },
};

/** The metrics in the text form. */
export async function metricsOf({
  service,
  webhooks,
  requestCounts,
  replica,
  version,
}: Pick<ControlContext, "service" | "webhooks" | "requestCounts" | "replica" | "version">): Promise<string> {
  const { vitals, resolver } = service;
  const { work, engine } = vitals;
  const [look, dueAtMs, webhookAtMs] = await Promise.all([
    vitals.measure(),
    service.nextCheckAtMs(),
    service.deliveries.nextDueAtMs(0),
  ]);
  const lateBy = (atMs: number | null) => Math.max(0, service.nowMs() - (atMs ?? Number.POSITIVE_INFINITY)) / 1000;
  const own: Labels = replica === null ? {} : { replica: replica.name };
  const families = [
    family("momo_info", "gauge", "The version of momo and its engine", [["", { version, engine, ...own }, 1]]),
    family(
      "momo_requests_total",
      "counter",
      "Requests to the merchant API, by operation and status",
      requestCounts.list().map(({ operation, status, count }): Sample => ["", { operation, status }, count]),
    ),
    family("momo_commit_seconds", "histogram", "How long a commit takes", [
      ...work.commitTimes.map(({ seconds, count }): Sample => ["_bucket", { le: seconds }, count]),
      ["_bucket", { le: "+Inf" }, work.commits],
      ["_sum", {}, work.commitSeconds],
      ["_count", {}, work.commits],
    ]),
    family("momo_commit_rows_total", "counter", "Writes in these commits", [["", {}, work.rows]]),
    family(
      "momo_retries_total",
      "counter",
      "Writes that were tried again, by reason",
      [...work.retries].map(([reason, count]): Sample => ["", { reason }, count]),
    ),
    family("momo_unknown_outcomes_total", "counter", "Writes that had to be looked up before they were answered", [
      ["", {}, work.unknownOutcomes],
    ]),
    family("momo_left_unknown_total", "counter", "Writes whose outcome was still unknown at the commit deadline", [
      ["", {}, work.leftUnknown],
    ]),
    family("momo_check_lateness_seconds", "summary", "How late due prompts are checked", [
      ["_sum", {}, resolver.lateness.sumMs / 1000],
      ["_count", {}, resolver.lateness.count],
    ]),
    family("momo_due_lag_seconds", "gauge", "How late the earliest due prompt is now", [["", {}, lateBy(dueAtMs)]]),
    family(
      "momo_webhook_attempts_total",
      "counter",
      "Attempts to deliver a webhook, by result",
      Object.entries(webhooks.attempts).map(([result, count]): Sample => ["", { result }, count]),
    ),
    family("momo_webhook_lag_seconds", "gauge", "How late the earliest due webhook of all servers is now", [
      ["", {}, lateBy(webhookAtMs)],
    ]),
    family("momo_pending", "gauge", "Payments that are pending", [["", {}, look.pending]]),
    family("momo_clock_offset_seconds", "gauge", "How far the engine's clock is ahead of this machine's", [
      ["", {}, look.clockOffsetMs / 1000],
    ]),
    family("momo_durability", "gauge", "Where an answered payment is kept", [["", { level: look.durability }, 1]]),
    ...familyOf("momo_connections", "Connections to the engine", look.connections),
    ...familyOf("momo_searches", "Broad searches that run or wait for their turn", look.longReads),
  ];
  return families.join("");
}

/** A gauge, unless the engine has no such thing. */
const familyOf = (name: string, help: string, value: number | null): string[] =>
  value === null ? [] : [family(name, "gauge", help, [["", {}, value]])];

function family(name: string, type: string, help: string, samples: readonly Sample[]): string {
  const lines = samples.map(([suffix, labels, value]) => `${name}${suffix}${written(labels)} ${value}\n`);
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
}

function written(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

const escaped = (text: string): string => text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
