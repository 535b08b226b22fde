import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { API_KEY_FORM, API_SECRET_FORM } from "../../src/domain/credentials.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { failureOf, KEYS, openMomo, PROGRAM, runMomo, serveMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

/** Merchants, accounts and keys: `momo merchants`, `momo accounts`, `momo keys`. */

const sandbox = await startIn(newFolder());
const momo = (...args: string[]) => runMomo([...args, ...sandbox.at]);
const jsonOf = async (...args: string[]) => JSON.parse((await momo(...args, "--json")).stdout);

describe("create prints the new record: as JSON, or a line for each member", () => {
  const id = expect.any(Number);
  const credentials = {
    api_key: expect.stringMatching(/^mk_[0-9a-z]+$/),
    api_secret: expect.stringMatching(/^ms_[0-9a-z]+$/),
  };
  const CREATED: [line: string, record: object][] = [
    ["merchants create --name Duka", { id, name: "Duka" }],
    ["accounts create --name Till", { id, merchant_id: 1, name: "Till", fee: "1%" }],
    ["accounts create --name Shop --fee 1.5%+10", { id, merchant_id: 1, name: "Shop", fee: "1.5%+10" }],
    ["keys create --label till", { ...credentials, merchant_id: 1, label: "till" }],
  ];
  test.concurrent.each(CREATED)("momo %s", async (line, record) => {
    const words = line.split(" ");
    const [json, table] = await Promise.all([momo(...words, "--json"), momo(...words, "--format", "table")]);
    expect(json).toMatchObject({ stderr: "", exitCode: 0 });
    expect(JSON.parse(json.stdout)).toEqual(record);
    const lines = table.stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.split(/ +/)[0])).toEqual(Object.keys(record));
    expect(new Set(lines.map((line) => line.search(/(?<= {2})\S/))).size).toBe(1);
  });
});

describe("a running server knows at once", () => {
  test.concurrent("an account that is created, with its own tariff", async () => {
    const account = Number((await momo("accounts", "create", "--name", "Dear", "--fee", "10", "-q")).stdout);
    await sandbox.pay({ payment_account_id: account, reference: "FEE" });
    expect(await sandbox.list("?search=FEE")).toMatchObject([{ fee_amount: 10 }]);
  });

  test.concurrent("a key that is created, whose secret -q prints on stderr; it refuses one that is revoked", async () => {
    const { stdout, stderr } = await momo("keys", "create", "-q");
    const headers = { "X-API-Key": stdout.trim(), "X-API-Secret": stderr.trim() };
    const call = () => fetch(`${sandbox.baseUrl}/transactions.php`, { headers });
    expect((await call()).status).toBe(200);
    const revoked = await momo("keys", "revoke", stdout.trim());
    expect(revoked).toEqual({ stdout: "", stderr: `revoked ${stdout}`, exitCode: 0 });
    expect((await call()).status).toBe(401);
  });
});

test.concurrent("--merchant chooses the merchant; the default is the first; an unknown one: exit 3", async () => {
  const second = (await momo("merchants", "create", "--name", "Second", "-q")).stdout.trim();
  const names = (list: { merchants: { name: string }[] }) => list.merchants.map(({ name }) => name);
  expect(names(await jsonOf("merchants", "list"))).toEqual(expect.arrayContaining(["Demo Shop", "Second"]));
  const theirs = await jsonOf("accounts", "create", "--name", "Theirs", "--merchant", second);
  expect(theirs.merchant_id).toBe(Number(second));
  expect((await jsonOf("accounts", "list", "--merchant", second)).accounts).toEqual([theirs]);
  const run = await momo("accounts", "create", "--name", "Lost", "--merchant", "99", "--json");
  expect(failureOf(run)).toMatchObject({ code: "not_found", message: "there is no merchant 99" });
  expect(run).toMatchObject({ stdout: "", exitCode: 3 });
});

describe("keys", () => {
  test.concurrent("`keys list` shows the keys in force without their secrets", async () => {
    const [kept, revoked] = [
      (await momo("keys", "create", "--label", "kept", "-q")).stdout.trim(),
      await jsonOf("keys", "create"),
    ];
    await momo("keys", "revoke", revoked.api_key);
    expect((await jsonOf("keys", "list")).keys).toContainEqual({ api_key: kept, merchant_id: 1, label: "kept" });
    for (const form of [["--format", "table"], ["--json"], ["-q"]]) {
      const { stdout } = await momo("keys", "list", ...form);
      expect(stdout).toContain(kept);
      expect(stdout).not.toContain(revoked.api_key);
      expect(stdout).not.toContain("ms_");
    }
  });

  test.concurrent("a person is asked to keep the secret; a key without --label is named after the time", async () => {
    expect((await momo("keys", "create", "--format", "table")).stderr).toContain("not shown again");
    const { label } = await jsonOf("keys", "create");
    expect(label).toMatch(/^made \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });

  test.concurrent("an unknown key, or one that is revoked already: exit 3", async () => {
    const { api_key } = await jsonOf("keys", "create");
    expect(await jsonOf("keys", "revoke", api_key)).toEqual({ api_key, revoked: true });
    for (const key of [api_key, "mk_nobody", ""]) {
      const run = await momo("keys", "revoke", key, "--json");
      expect(failureOf(run).code).toBe("not_found");
      expect(run).toMatchObject({ stdout: "", exitCode: 3 });
    }
  });
});

describe("without a running server", () => {
  const create = (name: string, data: string, ...flags: string[]) =>
    runMomo(["merchants", "create", "--name", name, "--data", data, ...flags]);

  test.concurrent("merchants, accounts and keys are made, listed and revoked; only the user can read folder and database", async () => {
    const data = join(newFolder(), "not", "there", "yet");
    const quiet = async (...args: string[]) => (await runMomo([...args, "--data", data, "-q"])).stdout;
    expect((await create("Duka", data, "--format", "table")).stdout).toBe("id    1\nname  Duka\n");
    expect(statSync(data).mode & 0o777).toBe(0o700);
    expect(statSync(join(data, "momo.db")).mode & 0o777).toBe(0o600);
    expect(await quiet("accounts", "create", "--name", "Till")).toBe("1\n");
    expect(await quiet("accounts", "list")).toBe("1\n");
    const key = await quiet("keys", "create");
    expect(await quiet("keys", "list")).toBe(key);
    expect(await quiet("keys", "revoke", key.trim())).toBe(key);
    expect(await quiet("keys", "list")).toBe("");
  });

  test.concurrent("merchants that several processes create at once in a new directory are all kept", async () => {
    const data = join(newFolder(), "data");
    const ids = await Promise.all(["a", "b", "c", "d"].map((name) => create(name, data, "-q")));
    expect(ids.map(({ stdout }) => stdout.trim()).sort()).toEqual(["1", "2", "3", "4"]);
  });

  test.concurrent("a merchant that was created before the server becomes its first, with an account and a key", async () => {
    const data = join(newFolder(), "data");
    await create("First", data);
    const { pay, control } = await startIn(data);
    expect(await control("GET", "/merchants")).toMatchObject({ merchants: [{ id: 1, name: "First" }] });
    expect(await pay({ payment_account_id: 1 })).toStartWith("ws_CO_");
  });

  const REFUSED: [what: string, args: string[], exitCode: number][] = [
    ["an empty name", ["merchants", "create", "--name", ""], 2],
    ["an escape sequence in a name", ["merchants", "create", "--name", "\x1b[31mred"], 2],
    ["no database, to list keys", ["keys", "list"], 3],
    ["no database, to revoke a key", ["keys", "revoke", "mk_nobody"], 3],
    ["no database, to create a key", ["keys", "create"], 3],
    ["no database, to create an account", ["accounts", "create", "--name", "Till"], 3],
  ];
  test.concurrent.each(REFUSED)("%s: refused, and no directory is made", async (_what, args, code) => {
    const data = join(newFolder(), "data");
    const { stdout, exitCode, stderr } = await runMomo([...args, "--data", data]);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: code });
    expect(stderr).toContain(code === 2 ? "1 to 100 characters" : data);
    expect(existsSync(data)).toBe(false);
  });
});

const one = await startIn(newFolder());
const two = await startIn(newFolder());
await two.control("POST", "/merchants", { name: "Baraka" });

describe("at a terminal momo asks for a missing flag", () => {
  test.concurrent("`momo merchants create` asks the name, and asks again if it is empty", async () => {
    const { screen, type, exited } = openMomo(["merchants", "create", ...one.at]);
    await screen.until(/Name of the merchant/);
    type(`  ${KEYS.enter}`);
    await screen.until(/Please enter something/);
    type(`${KEYS.ctrlU}Duka la Juma${KEYS.enter}`);
    expect(await exited).toBe(0);
    const { merchants } = await one.control("GET", "/merchants");
    expect(merchants).toContainEqual({ id: 2, name: "Duka la Juma" });
  });

  test.concurrent("`momo keys create` asks which merchant", async () => {
    const { screen, type, exited } = openMomo(["keys", "create", ...two.at, "--label", "the till"]);
    await screen.until(/Which merchant\?.*Demo Shop \(1\).*Baraka \(2\)/s);
    type(KEYS.down);
    await screen.until(/●\S* Baraka/);
    type(KEYS.enter);
    expect(await exited).toBe(0);
    expect(await two.control("GET", "/keys?merchant_id=2")).toMatchObject({ keys: [{ label: "the till" }] });
  });

  test.concurrent("the only merchant is chosen without a question", async () => {
    const { at } = await startIn(newFolder());
    const { screen, exited } = openMomo(["keys", "create", ...at]);
    expect(await exited).toBe(0);
    expect(screen.text).not.toContain("Which merchant?");
  });
});

describe("Ctrl+C at a question: exit 130, and nothing is made", () => {
  test.concurrent("at the name of a merchant", async () => {
    const data = join(newFolder(), "data");
    const { screen, type, exited } = openMomo(["merchants", "create", "--data", data]);
    await screen.until(/Name of the merchant/);
    type(KEYS.ctrlC);
    expect(await exited).toBe(130);
    expect(existsSync(data)).toBe(false);
    expect(screen.text).toEndWith("\x1b[?25h"); // the cursor is visible again
  });

  test.concurrent("at which merchant", async () => {
    const { screen, type, exited } = openMomo(["keys", "create", ...two.at, "--label", "never made"]);
    await screen.until(/Which merchant\?/);
    type(KEYS.ctrlC);
    expect(await exited).toBe(130);
    expect(JSON.stringify(await two.control("GET", "/keys"))).not.toContain("never made");
  });
});

describe("momo asks only a person at a terminal; otherwise exit 2 and the missing flag's name", () => {
  const args = ["accounts", "create", ...one.at];

  test.concurrent("with CI set", async () => {
    const { screen, exited } = openMomo(args, { env: { CI: "true" } });
    expect(await exited).toBe(2);
    expect(screen.text).toContain("--name is missing");
  });

  test.concurrent("with --json", async () => {
    const { screen, exited } = openMomo([...args, "--json"]);
    expect(await exited).toBe(2);
    expect(JSON.parse(screen.text)).toMatchObject({ error: { code: "usage", message: "--name is missing" } });
  });

  test.concurrent.each(["</dev/null", "| cat"])("with %s", async (redirection) => {
    const script = `{ "$@"; echo "exit $?"; } ${redirection}`;
    const { screen, exited } = openMomo(args, { program: ["sh", "-c", script, "sh", ...PROGRAM] });
    await exited;
    expect(screen.text).toMatch(/--name is missing.*exit 2/s);
  });
});

const API_KEY = `mk_${"MyOwnKey".repeat(2)}`;
const API_SECRET = `ms_${"MyOwnKey".repeat(4)}`;
const OWN_KEY = { MOMO_API_KEY: API_KEY, MOMO_API_SECRET: API_SECRET };

describe("the first key and the control token can be chosen in advance", () => {
  test.each([
    [API_KEY_FORM, "mk_", 16, 64],
    [API_SECRET_FORM, "ms_", 32, 128],
  ])("%p: %s and %d to %d letters and digits", (form, prefix, least, most) => {
    const isTaken = (length: number) => form.test(prefix + "aB3".repeat(50).slice(0, length));
    expect([least - 1, least, most, most + 1].map(isTaken)).toEqual([false, true, true, false]);
  });

  test.concurrent("MOMO_API_KEY and MOMO_API_SECRET are the first key of an empty data directory, also after restarts", async () => {
    const data = join(newFolder(), "data");
    for (const env of [OWN_KEY, OWN_KEY, {}]) {
      const { ready, get, stop, child } = await serveMomo(["--data", data], { env });
      expect(ready).toMatchObject({ api_key: API_KEY, api_secret: API_SECRET });
      expect((await get("/transactions.php")).status).toBe(200);
      await stop();
      expect(child.stderr.text).toBe("");
    }
  });

  test.concurrent("a data directory with a key keeps it, and the server says that it does not use the variable", async () => {
    const first = await startIn(newFolder());
    await first.stop();
    const second = await serveMomo(first.at, { env: OWN_KEY });
    expect(second.ready.api_key).toBe(String(first.headers["X-API-Key"]));
    await second.stop();
    expect(second.child.stderr.text).toContain(
      "MOMO_API_KEY is not used, because this data directory has a key already: mk_",
    );
  });

  const [SHORTEST, LONGEST] = ["s".repeat(16), "l".repeat(200)];

  test.concurrent.each([
    ["MOMO_CONTROL_TOKEN is the token, also on loopback", "127.0.0.1", false, SHORTEST, LONGEST],
    ["--control-token-file comes first", "0.0.0.0", true, LONGEST, SHORTEST],
  ])("%s", async (_what, host, withFile, valid, wrong) => {
    const file = join(newFolder(), "token");
    writeFileSync(file, `${LONGEST}\n`, { mode: 0o600 });
    const flags = withFile ? ["--control-token-file", file] : [];
    const { ready } = await serveMomo(["--host", host, ...flags], { env: { MOMO_CONTROL_TOKEN: SHORTEST } });
    const statusWith = async (token: string) =>
      (await fetch(`${ready.control_url}/clock`, { headers: { Authorization: `Bearer ${token}` } })).status;
    expect([await statusWith(valid), await statusWith(wrong)]).toEqual([200, 401]);
  });
});
