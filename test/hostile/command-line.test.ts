import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runMomo, serveMomo } from "../support/momo.ts";
import { anyValues } from "./command-line.ts";

afterAll(cleanUp);

test("any value in any flag and variable: never a stack trace, an exit code of the table, and the flag's name", async () => {
  await anyValues(await serveMomo(), { numRuns: 25, seed: 1 });
});

describe("arguments that are no flags", () => {
  const ODD: [args: string[], exitCodes: number[]][] = [
    [["pay", "", ""], [2]],
    [["pay", "0712345678", "1e308"], [2]],
    [
      ["pay", "0712345678", "0.00"],
      [2, 5, 6],
    ],
    [
      ["pay", "-0712345678", "1"],
      [2, 6],
    ],
    [["pay", "0712345678", "1", "2"], [2]],
    [
      ["status", ""],
      [2, 6],
    ],
    [["status", "../../v2/transactions.php"], [2]],
    [
      ["status", "a".repeat(100_000)],
      [2, 6],
    ],
    [
      ["clock", "advance", ""],
      [2, 6],
    ],
    [["clock", "advance", "-1s"], [2]],
    [["clock", "advance", "1s", "2s"], [2]],
    [["exec", "--"], [2]],
    [
      ["exec", "--", ""],
      [126, 127],
    ],
    [["exec", "--", "/dev/null"], [126]],
    [["exec", "--", "/etc"], [126]],
    [["exec", "--", "no-such-command-of-anybody's"], [127]],
    [["completion", "tcsh"], [2]],
    [["--", "serve", "--port", "x"], [2]],
    [["constructor"], [2]],
    [["__proto__"], [2]],
    [["toString"], [2]],
    [["\u001b[31m"], [2]],
    [["serve", "--port", "1", "--port", "x"], [2]],
    [
      ["list", "--json", "--page", "0", "--limit=--limit"],
      [2, 6],
    ],
  ];
  for (const [args, exitCodes] of ODD) {
    test.concurrent(`momo ${JSON.stringify(args).slice(1, 80)}`, async () => {
      const { stdout, stderr, exitCode } = await runMomo(args, { cwd: newFolder() });
      expect(exitCodes, stderr).toContain(exitCode);
      expect(stdout).toBe("");
      expect(stderr).not.toMatch(/^\s+at |\.ts:|\$bunfs|undefined/m);
      expect(stderr).not.toContain("\u001b");
      expect(stderr.trimEnd().split("\n").length, stderr).toBeLessThanOrEqual(2);
    });
  }
});
