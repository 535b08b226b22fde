import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Child, startChild } from "../support/child.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { contentsOf } from "../support/contents.ts";
import { cleanEnvironment, PROGRAM, runMomo, runToEnd, serveMomo, startMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { usedDirectory } from "./used-directory.ts";

/** Drafts in a data directory, and temporary folders: those of momo's own are known by name and content, and no others are removed. */

afterAll(cleanUp);

const { used, copy } = await usedDirectory();

/** With the executable, also what could run in this process. */
const run = (words: readonly string[], data: string) => runToEnd([...PROGRAM, ...words, "--data", data], { stdin: "" });

describe("drafts of another program beside momo's files stay as they are, whatever momo does", () => {
  const DRAFTS = {
    "credentials.json.1.tmp": "a password of mine",
    "server.json.22.tmp": "",
    "clock.json.3.tmp": '{"ahead":1}',
    "momo.db.4.tmp": "a database of mine",
    "momo.db.4.tmp-wal": "a log of mine",
    "momo.db.5-copy.tmp": "SQLite format 3\0 of mine",
    "momo.db.6.tmp-old-wal": "an old log of mine",
    "notes.7.tmp": "mine",
    "momo.db.8.tmp": "",
  };

  function withDrafts(own = used): string {
    const data = newFolder();
    cpSync(own, data, { recursive: true });
    for (const [name, content] of Object.entries(DRAFTS)) writeFileSync(join(data, name), content, { mode: 0o644 });
    return data;
  }

  const draftsIn = (data: string) =>
    Object.fromEntries(Object.entries(contentsOf(data)).filter(([name]) => name.includes(".tmp")));

  test.concurrent("a server starts, moves its clock and stops", async () => {
    const data = withDrafts();
    const before = draftsIn(data);
    const server = await serveMomo(["--data", data]);
    expect(await run(["clock", "freeze"], data)).toMatchObject({ exitCode: 0 });
    await server.stop();
    expect(draftsIn(data)).toEqual(before);
  });

  test.concurrent.each([
    [["import", copy, "--replace", "--yes"]],
    [["merchants", "create", "--name", "Duka"]],
    [["keys", "create"]],
    [["doctor", "--port", "0"]],
  ])("momo %j", async (words) => {
    const data = withDrafts();
    const before = draftsIn(data);
    expect((await run(words, data)).exitCode).toBe(0);
    expect(draftsIn(data)).toEqual(before);
  });

  /** The shell has the number that momo has after it. */
  const SCRIPT = `for name in credentials.json server.json momo.db; do echo mine > "$1/$name.$$.tmp"; done; data=$1; shift; exec "$@" --data "$data"`;
  const startWithItsNumber = (data: string, words: readonly string[]): Child =>
    startChild(["sh", "-c", SCRIPT, "sh", data, ...PROGRAM, ...words], {
      env: cleanEnvironment(newFolder()),
      cwd: data,
    });

  test.concurrent.each([[["serve", "--port", "0"]], [["merchants", "create", "--name", "Duka"]], [["import", copy]]])(
    "also those with the number of its own process: momo %j",
    async (words) => {
      const data = newFolder();
      const child = startWithItsNumber(data, words);
      if (words[0] === "serve") {
        await child.stdout.until(/Ready/);
        child.signal("SIGTERM");
      }
      await child.exited;
      const drafts = draftsIn(data);
      expect(Object.keys(drafts)).toHaveLength(3);
      for (const content of Object.values(drafts)) expect(content).toEndWith(Buffer.from("mine\n").toString("base64"));
    },
  );
});

describe("momo's own leftovers are known by their content", () => {
  test.concurrent("drafts that were complete are removed, and those of nobody stay", async () => {
    const data = newFolder();
    cpSync(used, data, { recursive: true });
    for (const name of ["credentials.json", "clock.json"]) cpSync(join(data, name), join(data, `${name}.77.tmp`));
    cpSync(copy, join(data, "momo.db.77.tmp"));
    cpSync(copy, join(data, "momo.db.77-copy.tmp"));
    writeFileSync(join(data, "server.json.77.tmp"), "");
    await startIn(data);
    expect(readdirSync(data).filter((name) => name.endsWith(".tmp"))).toEqual(["server.json.77.tmp"]);
  });

  test.concurrent("a server that is killed at any moment of its start can be started again", async () => {
    const data = join(newFolder(), "data");
    for (const delayMs of [0, 5, 10, 15, 20, 25, 30, 40, 50, 60]) {
      const child = startMomo(["serve", "--port", "0", "--data", data]);
      await Bun.sleep(delayMs); // any moment will do
      child.signal("SIGKILL");
      await child.exited;
    }
    const server = await serveMomo(["--data", data]);
    expect(await server.stop()).toBe(0);
  });

  test.concurrent("a database whose creation was killed before its first table is momo's", async () => {
    const data = newFolder();
    using database = new Database(join(data, "momo.db"), { create: true });
    database.run(`PRAGMA application_id = ${0x6d6f6d6f}`);
    database.close();
    expect(await (await startIn(data)).pay()).toStartWith("ws_CO_");
  });
});

test.concurrent("a folder of another program among temporary files stays", async () => {
  const TMPDIR = newFolder();
  for (const [name, files] of Object.entries({
    "momo-temporary-notes1": { "in-use.lock": "", "notes.txt": "mine" },
    "momo-temporary-notes2": { "in-use.lock": "mine" },
    "momo-temporary-notes3": { "in-use.lock": "", "server.json": '{"mine":true}' },
    "momo-temporary-long-name": { "in-use.lock": "" },
  })) {
    mkdirSync(join(TMPDIR, name));
    for (const [file, content] of Object.entries(files)) writeFileSync(join(TMPDIR, name, file), content);
  }
  const before = contentsOf(TMPDIR);
  expect((await runMomo(["exec", "--", "true"], { env: { TMPDIR } })).exitCode).toBe(0);
  expect(contentsOf(TMPDIR)).toEqual(before);
});
