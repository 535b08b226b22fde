import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp } from "../support/cleanup.ts";
import { runMomo } from "../support/momo.ts";

afterAll(cleanUp);

test.each([
  ["js", "client.mjs"],
  ["php", "client.php"],
  ["python", "client.py"],
])("momo client %s prints clients/%s", async (language, name) => {
  const source = readFileSync(join(import.meta.dir, "../../clients", name), "utf8");
  expect(await runMomo(["client", language])).toEqual({ stdout: source, stderr: "", exitCode: 0 });
  const lines = source.trimEnd().split("\n");
  expect(lines.length, "a client is short enough to be read").toBeLessThanOrEqual(320);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(120);
});
