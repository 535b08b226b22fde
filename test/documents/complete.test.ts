import { afterAll, expect, test } from "bun:test";
import { OUTCOMES, outcomesView } from "../../sandbox/network/outcomes.ts";
import { cleanUp } from "../support/cleanup.ts";
import { openControl } from "../support/control.ts";
import { readDocument } from "../support/documents.ts";
import { runMomo } from "../support/momo.ts";

/** The documents name all that the program has. */

afterAll(cleanUp);

test("the README's table of outcomes is the one that the code uses", () => {
  const rows = outcomesView().map(
    ({ name, status, code, phone, after }) =>
      `| \`${name}\` | ${status ?? "-"} | ${code ?? "-"} | ${phone} | ${after ?? "-"} |`,
  );
  expect(rows).toHaveLength(OUTCOMES.length);
  const { text } = readDocument("README.md");
  for (const row of rows) expect(text).toContain(row);
});

const named = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = ""]) => name);

test.each([
  ["docs/cli.md", "command of momo", ["--help"], /^ {2}([a-z]+) /gm, "momo "],
  ["docs/operations.md", "option of momo serve", ["serve", "--help"], /^ {2}(?:-\w, )?(--[a-z-]+)/gm, ""],
  ["docs/steering.md", "option of momo exec", ["exec", "--help"], /^ {2}(?:-\w, )?(--[a-z-]+)/gm, ""],
])("%s names every %s", async (path, _what, args, pattern, before) => {
  const names = named((await runMomo(args)).stdout, pattern).filter((name) => name !== "--help");
  expect(names.length).toBeGreaterThan(8);
  const { text } = readDocument(path);
  for (const name of names) expect(text).toMatch(new RegExp(`\`${before}${name}[ \`]`));
});

test("docs/steering.md names every path of the control API", async () => {
  const scene = await openControl();
  const { message } = (await scene.call("GET", "/nothing")).body;
  await scene.close();
  const paths = named(String(message), /\/_momo(\/[^\s,]+)/g);
  expect(paths.length).toBeGreaterThan(20);
  const { text } = readDocument("docs/steering.md");
  // Its ids have shorter names there.
  for (const path of paths) {
    expect(text).toMatch(new RegExp(`[ \`](?:/_momo)?${path.replaceAll(/[A-Z_]+/g, "[A-Z_]+")}\``));
  }
});
