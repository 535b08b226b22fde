import { afterAll, expect, test } from "bun:test";
import { OUTCOMES } from "../../sandbox/network/outcomes.ts";
import { cleanUp } from "../support/cleanup.ts";
import { runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const NAMES = OUTCOMES.map(({ name }) => name);

test.concurrent("`momo outcomes` prints the table that the code uses, one line for each outcome", async () => {
  const { stdout, stderr, exitCode } = await runMomo(["outcomes", "--format", "table"]);
  const [head, ...rows] = stdout.trimEnd().split("\n");
  expect(head).toMatch(/^name +status +code +test phone +after +meaning$/);
  expect(rows.map((row) => row.split(/\s+/)[0])).toEqual(NAMES);
  expect(rows.find((row) => row.startsWith("wrong_pin"))).toMatch(/^wrong_pin +failed +2001 +254700000201 +3s +the /);
  expect(stdout).not.toContain("\x1b");
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
});

test.concurrent("`momo outcomes -q` prints the names", async () => {
  const { stdout, exitCode } = await runMomo(["outcomes", "-q"]);
  expect(stdout.trimEnd().split("\n")).toEqual(NAMES);
  expect(exitCode).toBe(0);
});

test.concurrent("`momo outcomes --json` and GET /_momo/outcomes print the same table", async () => {
  const [printed, { ready }] = await Promise.all([runMomo(["outcomes", "--json"]), serveMomo()]);
  const answer = (await (await fetch(`${ready.control_url}/outcomes`)).json()) as { outcomes: unknown };
  expect(JSON.parse(printed.stdout)).toEqual({ outcomes: answer.outcomes });
});
