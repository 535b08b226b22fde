import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { dataDirectoryAt } from "../../cli/serving/data-directory.ts";
import { planDraft, removeLeftoversIn } from "../../cli/serving/leftovers.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { PROGRAM, runMomo, serveMomo, startMomo } from "../support/momo.ts";
import { giveAway, testWithOtherUser } from "../support/other-user.ts";

afterAll(cleanUp);

async function untilEmpty(folder: string, except: readonly string[] = []): Promise<string[]> {
  const left = () => readdirSync(folder).filter((name) => !except.includes(name));
  for (let look = 0; look < 500 && left().length > 0; look += 1) await Bun.sleep(10);
  return left();
}

const doctorAt = async (data: string, env: Record<string, string> = {}) => {
  const run = await runMomo(["doctor", "--port", "0", "--data", data, "--format", "table"], { env });
  return run.stdout.split("\n").filter((line) => line.includes("left over"));
};

/** Where a killed ephemeral server has left its folder. */
async function killedEphemeral(): Promise<{ TMPDIR: string; folder: string }> {
  const TMPDIR = newFolder();
  const server = await serveMomo(["--ephemeral"], { env: { TMPDIR } });
  await server.kill();
  expect(existsSync(join(server.ready.data, "momo.db"))).toBe(true);
  return { TMPDIR, folder: server.ready.data };
}

describe("what a killed ephemeral server leaves behind", () => {
  test.concurrent("is named by doctor, which changes nothing", async () => {
    const { TMPDIR, folder } = await killedEphemeral();
    const data = join(newFolder(), "data");
    expect(await doctorAt(data, { TMPDIR })).toEqual([expect.stringContaining(`${folder}, by a momo that was killed`)]);
    expect(readdirSync(TMPDIR)).toEqual([basename(folder)]);
  });

  for (const args of [
    ["serve", "--port", "0", "--ephemeral"],
    ["serve", "--port", "0"],
  ]) {
    test.concurrent(`is removed by momo ${args.join(" ")}`, async () => {
      const { TMPDIR, folder } = await killedEphemeral();
      const child = startMomo(args, { env: { TMPDIR } });
      await child.stdout.until(/Ready/);
      for (let look = 0; look < 500 && existsSync(folder); look += 1) await Bun.sleep(10);
      expect(existsSync(folder)).toBe(false);
      child.signal("SIGTERM");
      await child.exited;
      expect(readdirSync(TMPDIR)).toEqual([]);
    });
  }

  test.concurrent("is removed by momo exec, also where exec itself was killed", async () => {
    const { TMPDIR } = await killedEphemeral();
    const killed = startMomo(["exec", "--", "sleep", "5"], { env: { TMPDIR } });
    while (readdirSync(TMPDIR).every((name) => !existsSync(join(TMPDIR, name, "server.json")))) await Bun.sleep(5);
    killed.signal("SIGKILL");
    await killed.exited;
    expect(readdirSync(TMPDIR)).not.toEqual([]);
    const run = await runMomo(["exec", "--", "true"], { env: { TMPDIR } });
    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(readdirSync(TMPDIR)).toEqual([]);
  });

  test.concurrent("what a process uses stays, however many start beside it", async () => {
    const TMPDIR = newFolder();
    const server = await serveMomo(["--ephemeral"], { env: { TMPDIR } });
    const runs = await Promise.all(
      Array.from({ length: 6 }, () =>
        runMomo(["exec", "--", ...PROGRAM, "pay", "0712345678", "1", "-q"], { env: { TMPDIR } }),
      ),
    );
    for (const run of runs) expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect((await server.get("/transactions.php")).status).toBe(200);
    expect(await doctorAt(server.ready.data, { TMPDIR })).toEqual([]);
    expect(readdirSync(TMPDIR)).toEqual([basename(server.ready.data)]);
  });

  test.concurrent("nothing else is touched: no link, no folder of another name, none without momo's lock", async () => {
    const { TMPDIR, folder } = await killedEphemeral();
    const elsewhere = newFolder();
    writeFileSync(join(elsewhere, "in-use.lock"), "");
    symlinkSync(elsewhere, join(TMPDIR, "momo-temporary-linked"));
    for (const name of ["momo-data", "momo-temporary-notes"]) {
      mkdirSync(join(TMPDIR, name));
      writeFileSync(join(TMPDIR, name, "notes.txt"), "mine");
    }
    // A link inside of it is removed, and not what it leads to.
    symlinkSync(elsewhere, join(folder, "link"));
    await runMomo(["exec", "--", "true"], { env: { TMPDIR } });
    expect(readdirSync(TMPDIR).sort()).toEqual(["momo-data", "momo-temporary-linked", "momo-temporary-notes"]);
    expect(readdirSync(elsewhere)).toEqual(["in-use.lock"]);
  });

  testWithOtherUser("nor what is another user's", async () => {
    const { TMPDIR, folder } = await killedEphemeral();
    giveAway(folder);
    await runMomo(["exec", "--", "true"], { env: { TMPDIR } });
    expect(readdirSync(TMPDIR)).toEqual([basename(folder)]);
  });
});

describe("what a killed import leaves behind", () => {
  /** A data directory with a merchant, and the draft of an import that was killed while it read. */
  async function killedImport(): Promise<{ data: string; draft: string }> {
    const data = join(newFolder(), "data");
    await runMomo(["merchants", "create", "--name", "Duka", "--data", data]);
    const child = Bun.spawn([...PROGRAM, "import", "-", "--replace", "--data", data], {
      stdin: "pipe",
      stderr: "ignore",
    });
    await child.stdin.write("SQLite format 3\0 and more");
    await child.stdin.flush();
    const drafts = () => readdirSync(data).filter((name) => name.includes(".tmp"));
    while (drafts().length === 0 && child.exitCode === null) await Bun.sleep(5);
    expect(await doctorAt(data)).toEqual([]); // it is in use
    child.kill("SIGKILL");
    await child.exited;
    const [draft = ""] = drafts();
    expect(draft).toMatch(/^momo\.db\.[0-9]+\.tmp$/);
    return { data, draft: join(data, draft) };
  }

  test.concurrent("is named by doctor, and removed by the next server", async () => {
    const { data, draft } = await killedImport();
    writeFileSync(join(data, "server.json.123.tmp"), "");
    writeFileSync(join(data, "notes.123.tmp"), "mine");
    expect((await doctorAt(data)).sort()).toEqual(
      [draft, join(data, "server.json.123.tmp")].map((file) => expect.stringContaining(file)),
    );
    expect(existsSync(draft)).toBe(true);
    await serveMomo(["--data", data]);
    expect(readdirSync(data).filter((name) => name.endsWith(".tmp"))).toEqual(["notes.123.tmp"]);
  });

  test.concurrent("is removed by the next import, too", async () => {
    const { data, draft } = await killedImport();
    const copy = join(newFolder(), "copy");
    await runMomo(["export", copy, "--data", data]);
    expect((await runMomo(["import", copy, "--replace", "--data", data])).exitCode).toBe(0);
    expect(existsSync(draft)).toBe(false);
  });

  test.concurrent("the log of a damaged database, put aside, goes back to it; or goes, where the new one is in place", async () => {
    const data = newFolder();
    const aside = join(data, "momo.db.12.tmp-old-wal");
    for (const name of ["momo.db", "momo.db.12.tmp"]) writeFileSync(join(data, name), "wreck");
    writeFileSync(aside, "log");
    removeLeftoversIn(dataDirectoryAt(data));
    expect(readdirSync(data).sort()).toEqual(["momo.db", "momo.db-wal"]);
    expect(readFileSync(join(data, "momo.db-wal"), "utf8")).toBe("log");

    const other = newFolder();
    writeFileSync(join(other, "momo.db.12.tmp-old-wal"), "log");
    removeLeftoversIn(dataDirectoryAt(other));
    expect(readdirSync(other)).toEqual([]);
  });
});

describe("what a killed export leaves behind", () => {
  /** A data directory that is so large that its export takes a moment, and where a copy of it was to go. */
  async function killedExport(): Promise<{ data: string; folder: string }> {
    const data = join(newFolder(), "data");
    await runMomo(["merchants", "create", "--name", "Duka", "--data", data]);
    fill(join(data, "momo.db"));
    for (;;) {
      const folder = newFolder();
      const child = Bun.spawn([...PROGRAM, "export", join(folder, "copy"), "--data", data], { stderr: "ignore" });
      while (readdirSync(folder).length === 0 && child.exitCode === null) await Bun.sleep(1);
      child.kill("SIGKILL");
      await child.exited;
      // Else it was done before the signal came.
      if (readdirSync(folder).some((name) => name.endsWith(".tmp"))) return { data, folder };
    }
  }

  function fill(file: string): void {
    const client = new Database(file);
    client.run(`WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 50000)
      INSERT INTO payment_accounts (merchant_id, name, fee_basis_points, fee_fixed_cents, created_at_ms)
      SELECT 1, printf('%0100d', value), 0, 0, 1 FROM n`);
    client.close();
  }

  test.concurrent("is named by doctor, and removed by the next export from there, wherever that goes", async () => {
    const { data, folder } = await killedExport();
    const [draft = ""] = readdirSync(folder).sort();
    expect(draft).toMatch(/^momo-export-\w+\.tmp$/);
    expect(await doctorAt(data)).toEqual(
      expect.arrayContaining([expect.stringContaining(`${join(folder, draft)}, by a momo that was killed`)]),
    );
    expect(existsSync(join(folder, draft))).toBe(true);
    const run = await runMomo(["export", join(newFolder(), "copy"), "--data", data]);
    expect(run.exitCode).toBe(0);
    expect(await untilEmpty(folder)).toEqual([]);
    expect(await doctorAt(data)).toEqual([]);
  });

  test.concurrent("is removed by the next server, too", async () => {
    const { data, folder } = await killedExport();
    await serveMomo(["--data", data]);
    expect(readdirSync(folder)).toEqual([]);
    expect(readdirSync(data).filter((name) => name.startsWith("momo-temporary"))).toEqual([]);
  });

  test.concurrent("a draft that is being written stays", async () => {
    const data = join(newFolder(), "data");
    await runMomo(["merchants", "create", "--name", "Duka", "--data", data]);
    const folder = newFolder();
    const draft = planDraft(dataDirectoryAt(data), folder); // by this process
    writeFileSync(draft.path, "half");
    await runMomo(["export", join(newFolder(), "copy"), "--data", data]);
    await serveMomo(["--data", data]);
    expect(await doctorAt(data)).toEqual([]);
    expect(readFileSync(draft.path, "utf8")).toBe("half");
    draft.remove();
    expect(readdirSync(folder)).toEqual([]);
  });
});
