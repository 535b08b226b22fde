import { afterAll, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { failureOf, runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const { at, ready, post } = await serveMomo();

const create = (name: string, ...flags: string[]) => runMomo(["accounts", "create", "--name", name, ...at, ...flags]);

test("an account in --json is {id, merchant_id, name, fee}", async () => {
  const run = await create("Till", "--json");
  expect(JSON.parse(run.stdout)).toEqual({ id: 2, merchant_id: 1, name: "Till", fee: "1%" });
  expect(run).toMatchObject({ stderr: "", exitCode: 0 });
});

test("`accounts create` prints one line a member, and its id with -q", async () => {
  expect((await create("Shop", "--fee", "1.5%+10", "--format", "table")).stdout).toBe(
    "id           3\nmerchant_id  1\nname         Shop\nfee          1.5%+10\n",
  );
  expect((await create("Stall", "-q")).stdout).toBe("4\n");
});

test("an account that is created works at once on the running server, with its own tariff", async () => {
  const { stdout: id } = await create("Dear", "--fee", "10", "-q");
  const started = await post("/stkpush.php", { payment_account_id: Number(id), phone: "0712345678", amount: 100 });
  const { checkout_request_id } = (await started.json()) as { checkout_request_id: string };
  const status = (await (await post("/status.php", { checkout_request_id })).json()) as { fee_amount: number };
  expect(status.fee_amount).toBe(10);
});

test("`accounts list` prints a table, the records in --json, the ids with -q", async () => {
  const list = (...flags: string[]) => runMomo(["accounts", "list", ...at, ...flags]);
  const [table, json, quiet] = await Promise.all([list("--format", "table"), list("--json"), list("-q")]);
  expect(table.stdout.split("\n").slice(0, 2)).toEqual([
    "id  merchant id  name          fee",
    "1   1            Main account  1%",
  ]);
  expect(JSON.parse(json.stdout).accounts[0]).toEqual({ id: 1, merchant_id: 1, name: "Main account", fee: "1%" });
  expect(quiet.stdout).toStartWith("1\n2\n");
});

test("`--merchant ID` chooses whose account; the default is the first", async () => {
  const { stdout: second } = await runMomo(["merchants", "create", "--name", "Second", ...at, "-q"]);
  const { stdout } = await create("Theirs", "--merchant", second.trim(), "--json");
  expect(JSON.parse(stdout)).toMatchObject({ merchant_id: 2, name: "Theirs" });
  const list = await runMomo(["accounts", "list", "--merchant", second.trim(), ...at, "--json"]);
  expect(JSON.parse(list.stdout).accounts).toHaveLength(1);
});

test.concurrent("a merchant that is not there: exit 3", async () => {
  const run = await create("Nobody's", "--merchant", "99", "--json");
  expect(failureOf(run)).toMatchObject({ code: "not_found", message: "there is no merchant 99" });
  expect(run).toMatchObject({ stdout: "", exitCode: 3 });
});

test.concurrent("`accounts list` works without a running server", async () => {
  const data = join(newFolder(), "data");
  await runMomo(["merchants", "create", "--name", "Duka", "--data", data]);
  await runMomo(["accounts", "create", "--name", "Till", "--data", data]);
  const { stdout } = await runMomo(["accounts", "list", "--data", data, "-q"]);
  expect(stdout).toBe("1\n");
});

for (const command of ["list", "create"] as const) {
  test.concurrent(`\`accounts ${command}\` on a missing directory creates nothing: exit 3`, async () => {
    const data = join(newFolder(), "mistyped");
    const name = command === "create" ? ["--name", "Till"] : [];
    const { stdout, exitCode } = await runMomo(["accounts", command, ...name, "--data", data]);
    expect({ stdout, exitCode }).toEqual({ stdout: "", exitCode: 3 });
    expect(existsSync(data)).toBe(false);
  });
}

test.concurrent("without --name and a terminal: exit 2 and the flag's name", async () => {
  const run = await runMomo(["accounts", "create", ...at]);
  expect(run).toMatchObject({ stdout: "", exitCode: 2, stderr: expect.stringContaining("--name is missing") });
});

test.concurrent("the ready record's account is listed", async () => {
  const { stdout } = await runMomo(["accounts", "list", ...at, "-q"]);
  expect(stdout.split("\n")).toContain(String(ready.payment_account_id));
});
