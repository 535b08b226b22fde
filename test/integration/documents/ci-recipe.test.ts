import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
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
