import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { runMomo } from "../../support/momo.ts";
import { describeWith } from "../../support/needs.ts";
import { FAST, fieldArguments, HABITS, type Habit } from "./habits.ts";

afterAll(cleanUp);

async function audited(program: Habit, accept: "strict" | "lenient", env: Record<string, string> = FAST) {
  const report = join(newFolder(), "audit.json");
  const args = fieldArguments(program, ["--accept", accept, "--audit", "--audit-report", report]);
  const run = await runMomo(args, { env });
  const { findings } = JSON.parse(readFileSync(report, "utf8")) as { findings: { severity: string; kind: string }[] };
  return { ...run, findings: [...new Set(findings.map(({ severity, kind }) => `${severity} ${kind}`))].sort() };
}

describeWith(["node"], "what momo reports of these clients does not change", () => {
  for (const program of HABITS) {
    const { shop, habit, prints, findings, strict } = program;
    const isBad = findings.some((finding) => finding.startsWith("error"));

    test.concurrent(`${shop}, a shop that ${habit}: ${findings.join(", ") || "nothing"}`, async () => {
      const fast = await audited(program, "lenient");
      // A machine that is too busy for the fast clock gets the real one.
      const run = Bun.deepEquals(fast.findings, findings) ? fast : await audited(program, "lenient", {});
      expect(run).toMatchObject({ findings, exitCode: isBad ? 7 : 0, stdout: expect.stringContaining(prints) });
      for (const finding of findings) expect(run.stderr).toContain(finding.replace(" ", ": "));
      if (findings.length === 0) expect(run.stderr).toMatch(/^momo audit: .*; 0 errors, 0 warnings, 0 notes\n$/);
    });

    if (strict) {
      test.concurrent(`${shop} against the strict sandbox: refused at its first request`, async () => {
        const run = await audited(program, "strict");
        expect(run).toMatchObject({ exitCode: strict.exitCode, stdout: expect.stringContaining(strict.prints) });
      });
    }
  }
});
