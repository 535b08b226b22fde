import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { startIn } from "../../support/sandbox.ts";

afterAll(cleanUp);

test("POST /_momo/requests/ID/replay sends a logged call again, with the sandbox's own key", async () => {
  const sandbox = await startIn(join(newFolder(), "data"));
  await sandbox.pay({ reference: "AGAIN" });
  expect(await sandbox.control("POST", "/requests/1/replay")).toMatchObject({ status: 200 });
  const { requests } = await sandbox.control("GET", "/requests");
  const call = { target: "/v2/stkpush.php", body: expect.stringContaining("AGAIN"), status: 200 };
  expect(requests).toMatchObject([
    { ...call, id: 1 },
    { ...call, id: 2, headers: { "x-api-secret": "[redacted]", "x-sandbox-replay-of": "1" } },
  ]);
  expect(await sandbox.control("GET", "/transactions")).toMatchObject({
    transactions: [{ reference: "AGAIN" }, { reference: "AGAIN" }],
  });
  // No client made the second payment.
  expect(await sandbox.control("GET", "/audit")).toMatchObject({ findings: [] });

  await expect(sandbox.control("POST", "/requests/7/replay")).rejects.toThrow("404 the log has no call with this id");
  await sandbox.pay({ padding: "x".repeat(5000) });
  await expect(sandbox.control("POST", "/requests/3/replay")).rejects.toThrow("does not keep all of the body");
  await sandbox.stop();
});
