import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp } from "../../support/cleanup.ts";
import { blocksOf, readDocument, type Session, startSession } from "../../support/documents.ts";

/** The recipes of docs/testing.md that are more than commands, and variants of them. */

const testing = readDocument("docs/testing.md");
const recipe = blocksOf(testing, "yaml").find((block) => block.startsWith("steps:")) ?? "";
const steps = [...recipe.matchAll(/run: \|\n((?: {6}.*\n)+)/g)].map(([, script = ""]) =>
  script.replaceAll(/^ {6}/gm, ""),
);

let session: Session;
beforeAll(async () => {
  session = await startSession();
});
afterAll(cleanUp);

test("the step after the start finds the server in MOMO_*", async () => {
  const { folder, run } = session;
  const github = { RUNNER_TEMP: join(folder, "runner"), GITHUB_ENV: join(folder, "github-env") };
  mkdirSync(github.RUNNER_TEMP);
  const [start = "", next = ""] = steps;
  expect(steps).toHaveLength(2);
  const started = await run(start, github);
  try {
    expect(started).toMatchObject({ exitCode: 0, stderr: "" });
    const lines = readFileSync(github.GITHUB_ENV, "utf8").trim().split("\n");
    const given = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2) as [string, string]));
    const record = JSON.parse(readFileSync(join(folder, "ready.json"), "utf8")) as Record<string, unknown>;
    expect(Object.keys(given).sort()).toEqual(Object.keys(session.variables).sort());
    for (const [name, value] of Object.entries(given)) {
      expect(value).toBe(String(record[name.replace("MOMO_", "").toLowerCase()]));
    }
    const tested = await run(next.replace("--wait", "--wait --interval 50ms"), { ...github, ...given });
    expect(tested).toMatchObject({ exitCode: 0, stderr: "" });
    expect(JSON.parse(tested.stdout)).toMatchObject({ status: "completed" });
  } finally {
    const ready = join(folder, "ready.json");
    process.kill((JSON.parse(readFileSync(ready, "utf8")) as { pid: number }).pid);
    while (existsSync(ready)) await Bun.sleep(20);
  }
});

test("files that share a sandbox, each with an account of its own, do not disturb each other", async () => {
  const [block = ""] = blocksOf(testing, "sh").filter((one) => one.includes('payment_account_id\\": $account'));
  const cancelled = `eval "$(momo env)"\n${block.replace("--wait", "--wait --interval 50ms -q")}`;
  const failed = cancelled.replace('cancelled\\"', 'insufficient_funds\\"');
  const runs = await Promise.all([cancelled, failed].map((script) => session.runWithFastClock(script)));
  expect(runs.map(({ stdout }) => stdout.split("\n").slice(-3).join(" ").trim())).toEqual([
    expect.stringContaining("cancelled code 11"),
    expect.stringContaining("failed code 10"),
  ]);
});

interface Recipe {
  readonly test?: { script: string[] };
  readonly steps?: { run?: string }[];
}

const request = (path: string) =>
  `curl -sS "$MOMO_BASE_URL/${path}" -H "X-API-Key: $MOMO_API_KEY" -H "X-API-Secret: $MOMO_API_SECRET"`;

describe.each(["github-services.yaml", "gitlab.yaml"])("the job of docs/examples/%s", (file) => {
  const { test: job, steps = [] } = Bun.YAML.parse(readDocument(`docs/examples/${file}`).text) as Recipe;
  const runs = steps.flatMap(({ run = "" }) => (run === "" || run.includes("GITHUB_ENV") ? [] : [run]));
  const scripts = job ? [job.script.join("\n")] : runs;

  test.each([
    ["passes", request("transactions.php"), 0],
    ["fails with its tests", `${request("transactions.php")}; exit 1`, 1],
    ["fails with the audit", request("nowhere.php"), 1],
  ])("%s, and has the report", async (_, tests, expected) => {
    const { folder, variables, run } = session;
    const report = join(folder, "momo.xml");
    rmSync(report, { force: true });
    await fetch(`${variables.MOMO_CONTROL_URL}/audit`, { method: "DELETE" });
    writeFileSync(join(folder, "npm"), `#!/bin/sh\n${tests}\n`, { mode: 0o755 });
    let failed = 0;
    // Each step runs, also after one that has failed.
    for (const script of scripts) {
      const { exitCode } = await run(script, { ...variables, MOMO_CONTROL_TOKEN: "token" });
      failed ||= exitCode;
    }
    expect(failed).toBe(expected);
    expect(readFileSync(report, "utf8")).toContain("<testsuite");
  });
});
