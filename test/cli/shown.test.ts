import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

/** What commands show if there is nothing, and in which colours. */

afterAll(cleanUp);

const sandbox = await startIn(newFolder());

describe("nothing is shown", () => {
  test.each<[filters: string, text: string, next: string]>([
    ["", "no transactions", "momo pay 0712345678 100 --wait"],
    ["--search nobody", "no transaction fits", "momo list --data"],
    ["--status pending --from 2020-01-01", "no transaction fits", "momo list --data"],
  ])("momo list %s", async (filters, text, next) => {
    const { at } = await startIn(newFolder());
    const words = filters === "" ? [] : filters.split(" ");
    const { stderr, exitCode } = await runMomo(["list", ...at, "--format", "table", ...words]);
    expect(exitCode).toBe(0);
    expect(stderr).toStartWith(`${text}\n`);
    expect(stderr.replaceAll(/[\s\\]+/g, " ")).toContain(next);
  });

  test("a number that no payment has is named without filters", async () => {
    const run = await runMomo(["status", "99999", ...sandbox.at]);
    expect(run).toMatchObject({ exitCode: 3, stderr: expect.stringMatching(/no transaction of yours with this id$/m) });
  });
});

test.each<[env: Record<string, string>, isColoured: boolean]>([
  [{}, false],
  [{ FORCE_COLOR: "1" }, true],
  [{ FORCE_COLOR: "0" }, false],
  [{ FORCE_COLOR: "1", NO_COLOR: "1" }, false],
])("a table in a pipe with %j is coloured: %p", async (env, isColoured) => {
  const { at, pay } = await startIn(newFolder());
  await pay();
  const { stdout } = await runMomo(["list", ...at, "--format", "table"], { env });
  expect(stdout.includes("\u001b[")).toBe(isColoured);
});

test("momo open uses the program of Linux in Windows where there is no other", async () => {
  const folder = newFolder();
  const opened = join(folder, "opened");
  for (const [name, line] of [
    ["xdg-open", "exit 3"],
    ["wslview", `echo "$1" > '${opened}'`],
  ] as const)
    writeFileSync(join(folder, name), `#!/bin/sh\n${line}\n`, { mode: 0o755 });
  const run = await runMomo(["open", ...sandbox.at], { env: { PATH: `${folder}:${process.env.PATH}` } });
  expect(run).toMatchObject({ stderr: "", exitCode: 0 });
  if (process.platform === "linux") expect(await Bun.file(opened).text()).toBe(run.stdout);
});
