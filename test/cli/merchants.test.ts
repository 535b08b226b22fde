import { afterAll, expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const shared = join(newFolder(), "data");
await runMomo(["merchants", "create", "--name", "Duka la Amina", "--data", shared]);

const created = (name: string, data: string, ...flags: string[]) =>
  runMomo(["merchants", "create", "--name", name, "--data", data, ...flags]);

test.concurrent("`merchants create` works without a running server, and prints the record", async () => {
  const data = join(newFolder(), "not", "there", "yet");
  expect(await created("Duka", data, "--format", "table")).toEqual({
    stdout: "id    1\nname  Duka\n",
    stderr: "",
    exitCode: 0,
  });
  expect(statSync(data).mode & 0o777).toBe(0o700);
  expect(statSync(join(data, "momo.db")).mode & 0o777).toBe(0o600);
});

test.concurrent("merchants that several processes create at once in a new directory are all kept", async () => {
  const data = join(newFolder(), "data");
  const ids = await Promise.all(["a", "b", "c", "d"].map((name) => created(name, data, "-q")));
  expect(ids.map(({ stdout }) => stdout.trim()).sort()).toEqual(["1", "2", "3", "4"]);
});

test.concurrent("a merchant created while a server runs is listed beside the server's own", async () => {
  const { at } = await serveMomo();
  await created("Second", at[1]);
  const { stdout } = await runMomo(["merchants", "list", ...at, "--json"]);
  expect(JSON.parse(stdout).merchants.map(({ name }: { name: string }) => name)).toEqual(["Demo Shop", "Second"]);
});

test.concurrent("`serve` takes the merchant that was created before it, and gives it an account and a key", async () => {
  const data = join(newFolder(), "data");
  await created("First", data);
  const { post } = await serveMomo(["--data", data]);
  const { stdout } = await runMomo(["merchants", "list", "--data", data, "--json"]);
  expect(JSON.parse(stdout)).toEqual({ merchants: [{ id: 1, name: "First" }] });
  const answer = await post("/stkpush.php", { payment_account_id: 1, phone: "0712345678", amount: 1 });
  expect(answer.status).toBe(200);
});

for (const [what, name] of [
  ["empty", ""],
  ["with an escape sequence", "\x1b[31mred"],
] as const) {
  test.concurrent(`a name ${what} is a usage error`, async () => {
    const run = await created(name, shared);
    expect(run).toMatchObject({ stdout: "", exitCode: 2, stderr: expect.stringContaining("1 to 100 characters") });
  });
}

test.concurrent("a merchant that is refused leaves no directory behind", async () => {
  const data = join(newFolder(), "data");
  expect((await created("", data)).exitCode).toBe(2);
  expect(existsSync(data)).toBe(false);
});
