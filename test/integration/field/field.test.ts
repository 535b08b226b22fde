import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { runMomo } from "../../support/momo.ts";
import { fieldArguments, HABITS } from "./habits.ts";

/** Each program polls by its own watch, so these tests take as long as the most patient of them. */

afterAll(cleanUp);

const node = Bun.which("node");

async function audited(file: string, accept: "strict" | "lenient") {
  const report = join(newFolder(), "audit.json");
  const run = await runMomo(fieldArguments(file, ["--accept", accept, "--audit", "--audit-report", report]));
  const { findings } = JSON.parse(readFileSync(report, "utf8")) as { findings: { severity: string; kind: string }[] };
  return { ...run, told: [...new Set(findings.map(({ severity, kind }) => `${severity} ${kind}`))].sort() };
}

describe("what momo tells of the clients of the field, unchanged", () => {
  if (node === null) test("left out; there is no node", () => {});
  for (const { file, habit, prints, told, strict } of node === null ? [] : HABITS) {
    const isBad = told.some((finding) => finding.startsWith("error"));

    test.concurrent(`${file}, which ${habit}: ${told.join(", ") || "nothing"}`, async () => {
      const run = await audited(file, "lenient");
      expect(run).toMatchObject({ told: [...told], exitCode: isBad ? 7 : 0, stdout: expect.stringContaining(prints) });
      for (const finding of told) expect(run.stderr).toContain(finding.replace(" ", ": "));
      if (told.length === 0) expect(run.stderr).toBe("");
    });

    if (strict) {
      test.concurrent(`${file} against the strict sandbox: refused at its first call`, async () => {
        const run = await audited(file, "strict");
        expect(run).toMatchObject({ exitCode: strict.exitCode, stdout: expect.stringContaining(strict.prints) });
      });
    }
  }
});
