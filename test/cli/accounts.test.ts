import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { failureOf, runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const { at, post } = await serveMomo();

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
