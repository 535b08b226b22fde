import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { type Run, runMomo, serveMomo } from "../support/momo.ts";
import { expectRefusal } from "../support/refusal.ts";

afterAll(cleanUp);

test.concurrent("after `kill -9` what is left behind stands in nobody's way", async () => {
  const first = await serveMomo();
  await first.kill();
  const second = await serveMomo(first.at);
  expect(second.ready.api_key).toBe(first.ready.api_key);
  expect(await second.stop()).toBe(0);
});

describe("a database that cannot be used: one line that names it and the flag that helps, exit 1, unchanged", () => {
  async function refusalOf(prepare: (file: string) => void): Promise<{ run: Run; file: string }> {
    const data = join(newFolder(), "data");
    mkdirSync(data);
    const file = join(data, "momo.db");
    prepare(file);
    const before = readFileSync(file);
    const run = await runMomo(["serve", "--port", "0", "--data", data]);
    expect(readFileSync(file).equals(before)).toBe(true);
    return { run, file };
  }

  test.concurrent("damaged", async () => {
    const { run, file } = await refusalOf((path) => writeFileSync(path, "this is not a database\n".repeat(400)));
    expectRefusal(run, `${file} is damaged or not a database`, "--data");
  });

  test.concurrent("locked by another program", async () => {
    const data = join(newFolder(), "data");
    await runMomo(["merchants", "create", "--name", "Duka", "--data", data]);
    const holder = new Database(join(data, "momo.db"));
    holder.run("PRAGMA locking_mode = EXCLUSIVE");
    holder.run("BEGIN EXCLUSIVE");
    const run = await runMomo(["serve", "--port", "0", "--data", data]);
    holder.close();
    expectRefusal(run, `${join(data, "momo.db")} is locked by another program`, "--data");
  });

  test.concurrent("written to by another program all the time", async () => {
    const data = join(newFolder(), "data");
    await (await serveMomo(["--data", data])).stop("SIGTERM");
    const holder = new Database(join(data, "momo.db"));
    holder.run("BEGIN IMMEDIATE");
    const run = await runMomo(["serve", "--port", "0", "--data", data]);
    holder.close();
    expectRefusal(run, `${join(data, "momo.db")} is locked by another program`, "--data");
  });

  test.concurrent("written to by another program all the time, with the first key yet to be made", async () => {
    const data = join(newFolder(), "data");
    await runMomo(["merchants", "create", "--name", "Duka", "--data", data]);
    const holder = new Database(join(data, "momo.db"));
    holder.run("BEGIN IMMEDIATE");
    const runs = [
      ["serve", "--port", "0", "--data", data],
      ["merchants", "create", "--name", "Second", "--data", data],
    ].map((args) => runMomo(args));
    const refused = await Promise.all(runs);
    holder.close();
    for (const run of refused) expectRefusal(run, `${join(data, "momo.db")} is locked by another program`, "--data");
  });
});
