import { afterAll, expect, test } from "bun:test";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runMomo, serveMomo } from "../support/momo.ts";
import { anyValues } from "./command-line.ts";

afterAll(cleanUp);

test("any value in any flag and variable: never a stack trace, an exit code of the table, and the flag's name", async () => {
  await anyValues(await serveMomo(), { numRuns: 25, seed: 1 });
});

const ODD: [args: string[], exitCode: number][] = [
  [["exec", "--", ""], 127],
  [["exec", "--", "/dev/null"], 126],
  [["exec", "--", "/etc"], 126],
  [["exec", "--", "no-such-command"], 127],
  [["status", "a".repeat(100_000)], 2],
];
test.concurrent.each(ODD)("momo %j: one line that says what is wrong, exit %d", async (args, code) => {
  const { stdout, stderr, exitCode } = await runMomo(args, { cwd: newFolder() });
  expect({ stdout, exitCode }, stderr).toEqual({ stdout: "", exitCode: code });
  expect(stderr).not.toMatch(/^\s+at |\.ts:|\$bunfs|undefined/m);
  expect(stderr.trimEnd().split("\n").length, stderr).toBeLessThanOrEqual(2);
});
