import { afterAll, expect, test } from "bun:test";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import { ROOT } from "../../support/binary.ts";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { startReceiver } from "../../support/fake-server.ts";
import { serveMomo } from "../../support/momo.ts";
import { describeWith } from "../../support/needs.ts";
import { until } from "../../support/waiting.ts";

/** The files of docs/monitoring, by the program of Prometheus that reads them. */

afterAll(cleanUp);

const folder = newFolder();
cpSync(join(ROOT, "docs/monitoring"), folder, { recursive: true });
writeFileSync(join(folder, "control-token"), "");

function promtool(args: readonly string[], input = ""): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["promtool", ...args], { cwd: folder, stdin: Buffer.from(input) });
  expect(exitCode, `${stdout}${stderr}`).toBe(0);
}

/** A file for promtool. JSON is YAML. */
function write(name: string, content: object): string {
  writeFileSync(join(folder, name), JSON.stringify(content));
  return name;
}

/**
 * What each alert watches: a value for which it is silent, and one for which it rings; a counter grows by it each minute. Then
 * counters that it is compared with.
 */
const ALERTS: Record<string, [series: string, silent: number, rings: number, others?: Record<string, number>]> = {
  MomoDown: ['up{job="momo"}', 1, 0],
  MomoPaymentsLate: ["momo_due_lag_seconds", 9, 11],
  MomoErrors: ['momo_requests_total{status="503"}', 4, 7, { 'momo_requests_total{status="200"}': 100 }],
  MomoCommitsSlow: [
    'momo_commit_seconds_bucket{le="0.5"}',
    100,
    90,
    { 'momo_commit_seconds_bucket{le="1"}': 100, 'momo_commit_seconds_bucket{le="+Inf"}': 100 },
  ],
  MomoCommitUnknown: ["momo_unknown_outcomes_total", 0, 1],
  MomoWebhooksFail: [
    'momo_webhook_attempts_total{result="failed"}',
    90,
    110,
    { 'momo_webhook_attempts_total{result="delivered"}': 100 },
  ],
  MomoWebhooksLate: ["momo_webhook_lag_seconds", 59, 61],
  MomoClockWrong: ["momo_clock_offset_seconds", 0.9, -1.1],
  MomoNotDurable: ['momo_durability{level="nothing: fsync is off"}', 0, 1],
};

describeWith(["promtool"], "the files of docs/monitoring", () => {
  test("the example of a configuration and the alerts are accepted, and there is a trial of each alert", () => {
    promtool(["check", "config", "prometheus.yml"]);
    promtool(["check", "rules", "alerts.yml"]);
    const alerts = YAML.parse(readFileSync(join(folder, "alerts.yml"), "utf8")) as {
      groups: { rules: { alert: string }[] }[];
    };
    expect(alerts.groups.flatMap(({ rules }) => rules.map(({ alert }) => alert))).toEqual(Object.keys(ALERTS));
  });

  test.each(Object.entries(ALERTS))("%s rings when it should, and not before", (alertname, watched) => {
    const [series, silent, rings, others = {}] = watched;
    const trial = (value: number, ringing: 0 | 1) => ({
      interval: "1m",
      input_series: Object.entries({ [series]: value, ...others }).map(([name, each]) => ({
        series: name,
        values: /_(?:total|bucket)\b/.test(name) ? `0+${each}x30` : `${each}+0x30`,
      })),
      promql_expr_test: [
        {
          expr: `count(ALERTS{alertname="${alertname}",alertstate="firing"}) or vector(0)`,
          eval_time: "20m",
          exp_samples: [{ labels: "{}", value: ringing }],
        },
      ],
    });
    const tests = [trial(silent, 0), trial(rings, 1)];
    promtool(["test", "rules", write(`${alertname}.json`, { rule_files: ["alerts.yml"], tests })]);
  });

  test("every query of the dashboard is one of Prometheus", () => {
    const { panels } = JSON.parse(readFileSync(join(folder, "dashboard.json"), "utf8")) as {
      panels: { targets: { expr: string }[] }[];
    };
    const queries = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(12);
    const rules = queries.map((query, index) => ({
      record: `query_${index}`,
      expr: query.replaceAll("$__rate_interval", "1m").replaceAll("$instance", ".*"),
    }));
    promtool(["check", "rules", write("queries.json", { groups: [{ name: "dashboard", rules }] })]);
  });

  test("the metrics of a server that has sent webhooks are accepted, and count them", async () => {
    const receiver = startReceiver((nth) => new Response("", { status: nth === 1 ? 500 : 200 }));
    const server = await serveMomo(["--webhook", receiver.url, "--after", "1ms"]);
    await server.pay();
    const read = async () => (await fetch(`${server.ready.control_url}/metrics`)).text();
    const text = await until(read, (metrics) => metrics.includes('{result="delivered"} 1'));
    expect(text).toContain('{result="failed"} 1');
    expect(text).toContain("momo_webhook_lag_seconds 0\n");
    promtool(["check", "metrics"], text);
  });
});
