import { afterAll, beforeAll, expect, test } from "bun:test";
import { OUTCOMES, outcomesView } from "../../sandbox/network/outcomes.ts";
import { readDocument } from "../support/documents.ts";
import { type Session, startSession } from "../support/documents-session.ts";

/** The documents name all that the program has. */

let session: Session;
beforeAll(async () => {
  session = await startSession();
});
afterAll(() => session.end());

test("the README's table of outcomes is the one that the code uses", () => {
  const rows = outcomesView().map(
    ({ name, status, code, phone, after }) =>
      `| \`${name}\` | ${status ?? "-"} | ${code ?? "-"} | ${phone} | ${after ?? "-"} |`,
  );
  expect(rows).toHaveLength(OUTCOMES.length);
  const { text } = readDocument("README.md");
  for (const row of rows) expect(text).toContain(row);
});

test("docs/cli.md names every command", async () => {
  const { stdout } = await session.run("momo --help");
  const names = [...stdout.matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(15);
  const { text } = readDocument("docs/cli.md");
  for (const name of names) expect(text).toMatch(new RegExp(`\`momo ${name}[ \`]`));
});

test("docs/operations.md names every option of momo serve", async () => {
  const { stdout } = await session.run("momo serve --help");
  const options = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, option]) => option);
  expect(options.length).toBeGreaterThan(12);
  const { text } = readDocument("docs/operations.md");
  for (const option of options) if (option !== "--help") expect(text).toContain(`\`${option}\``);
});

test("docs/steering.md names every path of the control API", async () => {
  const { message } = (await (await fetch(`${session.controlUrl}/nothing`)).json()) as { message: string };
  const paths = [...message.matchAll(/\/_momo(\/[^\s,]+)/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(20);
  const { text } = readDocument("docs/steering.md");
  // Its ids have shorter names there.
  for (const path of paths) {
    expect(text).toMatch(new RegExp(`[ \`](?:/_momo)?${path.replaceAll(/[A-Z_]+/g, "[A-Z_]+")}\``));
  }
});
