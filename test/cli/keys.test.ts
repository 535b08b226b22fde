import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { failureOf, runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const { at, ready } = await serveMomo();

interface Key {
  readonly api_key: string;
  readonly api_secret: string;
}

const create = (...flags: string[]) => runMomo(["keys", "create", ...at, ...flags]);
const newKey = async () => JSON.parse((await create("--label", "test", "--json")).stdout) as Key;
const statusWith = async ({ api_key, api_secret }: Key) => {
  const headers = { "X-API-Key": api_key, "X-API-Secret": api_secret };
  return (await fetch(`${ready.base_url}/transactions.php`, { headers })).status;
};

test.concurrent("a key in --json is {api_key, api_secret, merchant_id, label}", async () => {
  const run = await create("--label", "the till", "--json");
  expect(JSON.parse(run.stdout)).toEqual({
    api_key: expect.stringMatching(/^mk_[0-9a-z]+$/),
    api_secret: expect.stringMatching(/^ms_[0-9a-z]+$/),
    merchant_id: 1,
    label: "the till",
  });
  expect(run).toMatchObject({ stderr: "", exitCode: 0 });
});

test.concurrent("a revoked key gets 401 at once from the running server", async () => {
  const key = await newKey();
  expect(await statusWith(key)).toBe(200);
  const run = await runMomo(["keys", "revoke", key.api_key, ...at]);
  expect(run).toEqual({ stdout: "", stderr: `revoked ${key.api_key}\n`, exitCode: 0 });
  expect(await statusWith(key)).toBe(401);
});

test.concurrent("`-q` prints the one essential value, and the secret, shown this once, on stderr", async () => {
  const { stdout, stderr } = await create("--label", "quiet", "-q");
  expect(await statusWith({ api_key: stdout.trim(), api_secret: stderr.trim() })).toBe(200);
});

test.concurrent("for people a new key comes with the advice to keep its secret, on stderr", async () => {
  const { stdout, stderr } = await create("--label", "people", "--format", "table");
  expect(stdout).toMatch(/^api_key {6}mk_\w+\napi_secret {3}ms_\w+\nmerchant_id {2}1\nlabel {8}people\n$/);
  expect(stderr).toContain("not shown again");
});

test.concurrent("`keys list` shows the keys in force without their secrets", async () => {
  const [kept, revoked] = await Promise.all([newKey(), newKey()]);
  await runMomo(["keys", "revoke", revoked.api_key, ...at, "-q"]);
  const [table, json, quiet] = await Promise.all([
    runMomo(["keys", "list", ...at, "--format", "table"]),
    runMomo(["keys", "list", ...at, "--json"]),
    runMomo(["keys", "list", ...at, "-q"]),
  ]);
  expect(JSON.parse(json.stdout).keys).toContainEqual({ api_key: kept.api_key, merchant_id: 1, label: "test" });
  for (const { stdout } of [table, json, quiet]) {
    expect(stdout).toContain(kept.api_key);
    expect(stdout).not.toContain(revoked.api_key);
    expect(stdout).not.toContain("ms_");
  }
  expect(table.stdout).toMatch(/^api key +merchant id +label\n/);
});

test.concurrent("a key that is not there, or revoked already: exit 3", async () => {
  const { api_key } = await newKey();
  expect(await runMomo(["keys", "revoke", api_key, ...at, "--json"])).toMatchObject({
    stdout: `${JSON.stringify({ api_key, revoked: true })}\n`,
    exitCode: 0,
  });
  for (const key of [api_key, "mk_nobody", ""]) {
    const run = await runMomo(["keys", "revoke", key, ...at, "--json"]);
    expect(failureOf(run).code).toBe("not_found");
    expect(run).toMatchObject({ stdout: "", exitCode: 3 });
  }
});

test.concurrent("keys work without a running server", async () => {
  const data = join(newFolder(), "data");
  await runMomo(["merchants", "create", "--name", "Duka", "--data", data]);
  const { stdout: key } = await runMomo(["keys", "create", "--label", "x", "--data", data, "-q"]);
  expect((await runMomo(["keys", "list", "--data", data, "-q"])).stdout).toBe(key);
  expect((await runMomo(["keys", "revoke", key.trim(), "--data", data, "-q"])).stdout).toBe(key);
  expect((await runMomo(["keys", "list", "--data", data, "--json"])).stdout).toBe('{"keys":[]}\n');
});

const ON_NOTHING = [["list"], ["revoke", "mk_nobody"], ["create", "--label", "x"]];
for (const args of ON_NOTHING) {
  test.concurrent(`\`keys ${args.join(" ")}\` on a missing directory creates nothing: exit 3`, async () => {
    const data = join(newFolder(), "mistyped");
    const { stdout, exitCode } = await runMomo(["keys", ...args, "--data", data]);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 3 });
    expect(existsSync(data)).toBe(false);
  });
}

test.concurrent("without --label a key is called after the time when it was made", async () => {
  const { stdout, stderr, exitCode } = await create("--json");
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  expect(JSON.parse(stdout)).toMatchObject({
    label: expect.stringMatching(/^made \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
  });
});
