import { afterAll, describe, expect, test } from "bun:test";
import { startSandbox } from "../../cli/testing.ts";
import { cleanUp, later } from "../support/cleanup.ts";
import { failureOf, runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

describe("momo snapshot", () => {
  test("save, list, restore and delete", async () => {
    const server = await serveMomo();
    const momo = (...args: string[]) => runMomo([...args, ...server.at]);
    await momo("pay", "0712345678", "5", "-q");
    expect(await momo("snapshot", "save", "demo")).toEqual({ stdout: "", stderr: "kept as demo\n", exitCode: 0 });
    await momo("pay", "0712345678", "6", "-q");
    expect((await momo("snapshot", "list")).stdout).toMatch(/^name +transactions +at\ndemo +1 +[-0-9: ]{19}\n$/);
    expect((await momo("snapshot", "restore", "demo")).stderr).toBe(
      "everything is as in demo, but for merchants, accounts and keys\n",
    );
    expect((await momo("list", "-q")).stdout.trim().split("\n")).toHaveLength(1);
    expect((await momo("snapshot", "delete", "demo")).exitCode).toBe(0);
    expect((await momo("snapshot", "list", "-q")).stdout).toBe("");
    expect(failureOf(await momo("snapshot", "restore", "demo", "--json"))).toMatchObject({ code: "not_found" });
    expect(await momo("snapshot", "save", "a b")).toMatchObject({ exitCode: 5 });
    expect(await momo("snapshot", "save")).toMatchObject({ exitCode: 2 });
  });
});

test("the test helper keeps a state and brings it back", async () => {
  const sandbox = await startSandbox({ frozen: true });
  later(() => sandbox.stop());
  await sandbox.rules.add({ outcome: "cancelled", times: 1 });
  await sandbox.snapshot("one-cancels");
  for (let round = 0; round < 2; round += 1) {
    const answer = await fetch(`${sandbox.baseUrl}/stkpush.php`, {
      method: "POST",
      headers: { ...sandbox.headers, "Content-Type": "application/json" },
      body: JSON.stringify({ payment_account_id: sandbox.paymentAccountId, phone: "0712345678", amount: 5 }),
    });
    const { checkout_request_id } = (await answer.json()) as { checkout_request_id: string };
    await sandbox.clock.advance("3s");
    expect((await sandbox.wait({ checkoutRequestId: checkout_request_id })).status).toBe("cancelled");
    await sandbox.restore("one-cancels");
  }
});
