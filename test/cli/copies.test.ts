import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { copyFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { KNOWN_SCHEMA } from "../../src/store/sqlite/migrations.ts";
import { copyDatabase } from "../../src/store/sqlite/sqlite.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { failureOf, openMomo, PROGRAM, runMomo, serveMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";
import { openStoreWithMerchants } from "../support/shop.ts";
import { until } from "../support/waiting.ts";

afterAll(cleanUp);

/** A sandbox with one payment, which is pending, and a COPY of its database. */
const origin = await startIn(newFolder());
const pendingId = await origin.pay({}, "manual");
const COPY = join(newFolder(), "copy");
copyDatabase(join(origin.at[1], "momo.db"), COPY, COPY);

/** A data directory with another database. */
async function otherData(): Promise<string> {
  const data = newFolder();
  (await openStoreWithMerchants(join(data, "momo.db"))).close();
  return data;
}

describe("momo import FILE puts it into the data directory", () => {
  test.concurrent("in private files, also under umask 000; a server goes on with its keys and its pending prompt", async () => {
    const data = join(newFolder(), "data");
    const program = ["sh", "-c", 'umask 000; exec "$@"', "sh", ...PROGRAM];
    expect(await runMomo(["import", COPY, "--data", data], { program })).toEqual({
      stdout: "",
      stderr: `made ${join(data, "momo.db")}: 1 merchant, 1 transaction\n`,
      exitCode: 0,
    });
    expect(readdirSync(data).sort()).toEqual(["momo.db", "momo.lock"]);
    for (const name of readdirSync(data)) expect(statSync(join(data, name)).mode & 0o777).toBe(0o600);
    const { baseUrl, control } = await startIn(data);
    await control("POST", `/prompts/${pendingId}/answer`, { pin: "1234" });
    const list = await fetch(`${baseUrl}/transactions.php`, { headers: origin.headers });
    expect(await list.json()).toMatchObject({
      transactions: [{ checkout_request_id: pendingId, status: "completed" }],
    });
  });

  test.concurrent("without the webhooks that wait: a copy must not send them again", async () => {
    const { control, pay, at } = await startIn(newFolder());
    await control("PUT", "/webhook", { url: "http://127.0.0.1:1/", delay: "1h" });
    await pay({}, "completed; after=0ms");
    await until(
      async () => (await control("GET", "/webhook")).deliveries,
      (all) => (all as unknown[]).length === 1,
    );
    const [copy, data] = [join(newFolder(), "copy"), join(newFolder(), "data")];
    copyDatabase(join(at[1], "momo.db"), copy, copy);
    await runMomo(["import", copy, "--data", data]);
    expect((await (await startIn(data)).control("GET", "/webhook")).deliveries).toEqual([]);
  });
});

describe("it refuses, and changes nothing", () => {
  test.concurrent("a value that the API never stores", async () => {
    const file = join(newFolder(), "forged");
    copyFileSync(COPY, file);
    const database = new Database(file);
    database.run("PRAGMA ignore_check_constraints = ON");
    database.run("UPDATE merchants SET created_at_ms = 253402300800000");
    database.close();
    const { exitCode, stderr } = await runMomo(["import", file, "--data", join(newFolder(), "data")]);
    expect(stderr).toStartWith(`momo: ${file} holds what momo never stores: merchants.created_at_ms is 2534`);
    expect(exitCode).toBe(1);
  });

  test.concurrent("Ctrl+C while it reads: no draft is left", async () => {
    const data = await otherData();
    const before = readFileSync(join(data, "momo.db"));
    const command = [...PROGRAM, "import", "-", "--replace", "--data", data];
    const child = Bun.spawn(command, { stdin: "pipe", stderr: "pipe" });
    await child.stdin.write(readFileSync(COPY).subarray(0, 4096));
    await child.stdin.flush();
    const drafts = () => readdirSync(data).filter((name) => name.endsWith(".tmp"));
    while (drafts().length === 0 && child.exitCode === null) await Bun.sleep(5);
    expect(drafts()).toHaveLength(1);
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
    expect(drafts()).toEqual([]);
    expect(readFileSync(join(data, "momo.db")).equals(before)).toBe(true);
  });
});

/** A data directory with one merchant, which no server uses. */
const data = newFolder();
(await openStoreWithMerchants(join(data, "momo.db"))).close();
const exportTo = (copy: string, ...flags: string[]) => runMomo(["export", copy, "--data", data, ...flags]);

function idsIn(copy: string): Set<number> {
  const database = new Database(copy, { readonly: true });
  const rows = database.query<{ id: number }, []>("SELECT id FROM transactions").all();
  database.close();
  return new Set(rows.map(({ id }) => id));
}

test.concurrent("a copy that is made while a server accepts payments has every payment that was answered before", async () => {
  const server = await serveMomo();
  const order = { payment_account_id: 1, phone: "0712345678", amount: 5 };
  const folder = newFolder();
  const answered: number[] = [];
  let isPaying = true;
  const payers = Array.from({ length: 4 }, async () => {
    while (isPaying) {
      const answer = (await (await server.post("/stkpush.php", order)).json()) as { transaction_id: number };
      answered.push(answer.transaction_id);
    }
  });
  for (const name of ["1", "2", "3"]) {
    const before = [...answered];
    const file = join(folder, name);
    const { exitCode, stdout, stderr } = await runMomo(["export", file, ...server.at, "--json"]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    const ids = idsIn(file);
    for (const id of before) expect(ids.has(id)).toBe(true);
    const contents = { schema: KNOWN_SCHEMA, merchants: 1, transactions: ids.size };
    expect(JSON.parse(stdout)).toEqual({ file, bytes: statSync(file).size, ...contents });
  }
  isPaying = false;
  await Promise.all(payers);
  expect(readdirSync(folder).sort()).toEqual(["1", "2", "3"]);
  expect(readFileSync(join(folder, "3")).includes(server.ready.api_secret)).toBe(false);
});

describe("- is standard output", () => {
  test.concurrent("not on a terminal, and not beside JSON", async () => {
    const { screen, exited } = openMomo(["export", "-", "--data", data]);
    expect(await exited).toBe(2);
    expect(screen.text).toContain("name a file");
    const run = await exportTo("-", "--json");
    expect(run).toMatchObject({ stdout: "", exitCode: 2 });
    expect(failureOf(run).message).toContain("--json");
  });
});
