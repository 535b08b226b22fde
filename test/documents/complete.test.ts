import { expect, test } from "bun:test";
import { GROUPS } from "../../cli/command-table.ts";
import { EXIT_CODES } from "../../cli/terminal/failure.ts";
import { OUTCOMES, outcomesView } from "../../sandbox/network/outcomes.ts";
import { builtBinary } from "../support/binary.ts";
import { readDocument } from "../support/documents.ts";
import { openScene } from "../support/scene.ts";

/** The documents name all that the program has. */

async function namesInHelp(words: string[], pattern: RegExp): Promise<string[]> {
  const help = Bun.spawn([await builtBinary(), "help", ...words], { stdout: "pipe" });
  const text = await new Response(help.stdout).text();
  return [...text.matchAll(pattern)].map(([, name = ""]) => name).filter((name) => name !== "--help");
}

test("the README's table of outcomes is the one that the code uses", () => {
  const rows = outcomesView().map(
    ({ name, status, code, phone, after }) =>
      `| \`${name}\` | ${status ?? "-"} | ${code ?? "-"} | ${phone} | ${after ?? "-"} |`,
  );
  expect(rows).toHaveLength(OUTCOMES.length);
  const { text } = readDocument("README.md");
  for (const row of rows) expect(text).toContain(row);
});

test("docs/cli.md has the table of exit codes that the code uses", () => {
  const { text } = readDocument("docs/cli.md");
  for (const [code, meaning] of Object.values(EXIT_CODES)) expect(text).toContain(`| ${code} | ${meaning} |`);
});

test("docs/cli.md names every command", async () => {
  const names = Object.values(GROUPS).flatMap((commands) => Object.keys(commands));
  expect(names.length).toBeGreaterThan(15);
  const { text } = readDocument("docs/cli.md");
  for (const name of names) expect(text).toMatch(new RegExp(`\`momo ${name}[ \`]`));
});

test.each([
  ["docs/operations.md", "serve", 12],
  ["docs/operations.md", "replicas", 5],
  ["docs/steering.md", "exec", 8],
])("%s names every option of momo %s", async (path, command, least) => {
  const options = await namesInHelp([command], /^ {2}(?:-\w, )?(--[a-z-]+)/gm);
  expect(options.length).toBeGreaterThan(least);
  const { text } = readDocument(path);
  for (const option of options) expect(text).toMatch(new RegExp(`\`${option}[ \`]`));
});

test("docs/steering.md names every path of the control API", async () => {
  const scene = await openScene();
  const { message } = (await scene.call("GET", "/nothing")).body;
  await scene.close();
  const paths = [...String(message).matchAll(/\/_momo(\/[^\s,]+)/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(20);
  const { text } = readDocument("docs/steering.md");
  // The document has shorter names for the ids.
  for (const path of paths) {
    expect(text).toMatch(new RegExp(`[ \`](?:/_momo)?${path.replaceAll(/[A-Z_]+/g, "[A-Z_]+")}\``));
  }
});
