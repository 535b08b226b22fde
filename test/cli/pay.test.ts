import { afterAll, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { failureOf, runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const { at, ready, post, get } = await serveMomo();

const pay = (...args: string[]) => runMomo(["pay", "0712345678", "100", ...at, ...args]);
const itemOf = async (reference: string) => {
  const answer = await get(`/transactions.php?search=${reference}`);
  return ((await answer.json()) as { transactions: Record<string, unknown>[] }).transactions[0];
};

test.concurrent("`momo pay` prints the server's answer as it came: data on stdout, nothing on stderr", async () => {
  const { stdout, stderr, exitCode } = await pay();
  expect(JSON.parse(stdout)).toEqual({
    success: true,
    message: expect.any(String),
    transaction_id: expect.any(Number),
    checkout_request_id: expect.stringMatching(/^ws_CO_/),
    merchant_request_id: expect.stringMatching(/^ws_MR_/),
  });
  expect(stdout.split("\n")).toHaveLength(2);
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
});

test.concurrent("`-q` prints the checkout request id, which `momo status` takes", async () => {
  const { stdout } = await pay("-q");
  expect(stdout).toMatch(/^ws_CO_\w+\n$/);
  const status = await runMomo(["status", stdout.trim(), ...at, "-q"]);
  expect(status).toEqual({ stdout: "pending\n", stderr: "", exitCode: 0 });
});

test.concurrent("`--reference`, `--description` and the amount's cents arrive", async () => {
  await runMomo(["pay", "254712345678", "99.50", ...at, "--reference", "R-1", "--description", "Tea"]);
  expect(await itemOf("R-1")).toMatchObject({ amount: 99.5, phone: "254712345678", kind: "api" });
});

test.concurrent.each([[["+254", "712", "345", "678"]], [["712345678"]], [["112", "345", "678"]]])(
  "a phone as a person types it: momo pay %j 5",
  async (words) => {
    const reference = `typed ${words.join("_")}`;
    expect(await runMomo(["pay", ...words, "5", ...at, "--reference", reference])).toMatchObject({ exitCode: 0 });
    const phone = words[0] === "112" ? "254112345678" : "254712345678";
    expect(await itemOf(encodeURIComponent(reference))).toMatchObject({ amount: 5, phone });
  },
);

test.concurrent("`--account` chooses the payment account; one that is not the merchant's is refused: exit 5", async () => {
  const run = await pay("--account", "77", "--json");
  expect(failureOf(run)).toMatchObject({ code: "refused", message: expect.stringContaining("payment_account_id") });
  expect(run).toMatchObject({ stdout: "", exitCode: 5 });
});

test.concurrent("an outcome that does not exist is refused with the names: exit 2", async () => {
  const run = await pay("--outcome", "exploded");
  expect(run).toMatchObject({ stdout: "", exitCode: 2, stderr: expect.stringContaining("insufficient_funds") });
});

test.concurrent("a prompt that the network refuses (HTTP 500): exit 5", async () => {
  const run = await runMomo(["pay", "0700000500", "100", ...at, "--json"]);
  expect(failureOf(run)).toMatchObject({ code: "refused", message: expect.stringMatching(/^STK push initiation fai/) });
  expect(run).toMatchObject({ stdout: "", exitCode: 5 });
});

test.concurrent("`--kind` makes a test payment from another part of the shop", async () => {
  await pay("--kind", "credit_topup", "--reference", "TOPUP");
  expect(await itemOf("TOPUP")).toMatchObject({ kind: "credit_topup", type: "CREDIT_TOPUP" });
});

test.concurrent("`momo status` prints the server's answer as it came", async () => {
  const { stdout } = await pay("-q", "--outcome", "manual");
  const checkout_request_id = stdout.trim();
  const run = await runMomo(["status", checkout_request_id, ...at, "--json"]);
  const answer = await (await post("/status.php", { checkout_request_id })).json();
  expect(JSON.parse(run.stdout)).toEqual(answer);
  expect(run).toMatchObject({ stderr: "", exitCode: 0 });
});

test.concurrent("`momo status` of a payment that is not there: exit 3", async () => {
  const run = await runMomo(["status", "ws_CO_20112026100000_nothing", ...at, "--json"]);
  expect(failureOf(run).code).toBe("not_found");
  expect(run).toMatchObject({ stdout: "", exitCode: 3 });
});

test.concurrent("the key and secret are not on stdout or stderr of any of these", async () => {
  const runs = await Promise.all([pay(), pay("--account", "77"), runMomo(["list", ...at])]);
  for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toContain(ready.api_secret);
});
