import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { removeReadyFileOf } from "../../cli/serving/ready.ts";
import { readStatus } from "../../cli/terminal/options.ts";
import { ageText } from "../../cli/terminal/payment-lines.ts";
import { wrapped } from "../../cli/terminal/plain.ts";
import { useFolder } from "../support/cleanup.ts";

const inFolder = useFolder();

const DAY_MS = 86_400_000;

test.each([
  [0, "now"],
  [999, "now"],
  [59_999, "59s"],
  [60_000, "1m"],
  [DAY_MS - 1, "23h"],
  [30 * DAY_MS, "30d"],
  [30 * DAY_MS + 1, "2026-11-20"],
])("%d ms after it, a time is shown as %s", (sinceMs, text) => {
  expect(ageText("2026-11-20 10:00:00", Date.UTC(2026, 10, 20, 7) + sinceMs)).toBe(text);
});

test("an HTTP status of a fault is from 400 to 599", () => {
  expect(["400", "599"].map(readStatus)).toEqual([400, 599]);
  for (const other of ["399", "600", "40", "4000", "-400", "404.0", ""]) expect(() => readStatus(other)).toThrow();
});

test.each([
  ["aaa bbb ccc", 7, ["aaa bbb", "ccc"]],
  ["aaa bbb ccc", 6, ["aaa", "bbb", "ccc"]],
  ["  aa bb cc", 7, ["  aa bb", "  cc"]],
])("%j in %d columns", (line, width, lines) => {
  expect(wrapped(line, width)).toEqual(lines);
});

test("of a flag that is given twice, the last one counts, also in a command line with errors", () => {
  const files = ["first", "last"].map(inFolder);
  for (const file of files) writeFileSync(file, '{"base_url":"http://h/v2","console_url":"http://h/","pid":1}');
  removeReadyFileOf(["serve", ...files.flatMap((file) => ["--ready-file", file]), "--prot"]);
  expect(files.map(existsSync)).toEqual([true, false]);
});
