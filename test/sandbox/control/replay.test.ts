import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { startIn } from "../../support/sandbox.ts";

afterAll(cleanUp);

describe("POST /_momo/requests/ID/replay sends a logged call again, with the sandbox's own key", () => {
  test("a payment is started anew by a call that the log shows, and that no client is blamed for", async () => {
    const sandbox = await startIn(join(newFolder(), "data"));
    await sandbox.pay({ reference: "AGAIN" });
    expect(await sandbox.control("POST", "/requests/1/replay")).toMatchObject({ status: 200 });
    const { requests } = await sandbox.control("GET", "/requests");
    expect(requests).toMatchObject([
      { id: 1, target: "/v2/stkpush.php", body: expect.stringContaining("AGAIN") },
      {
        id: 2,
        target: "/v2/stkpush.php",
        body: expect.stringContaining("AGAIN"),
        status: 200,
        headers: { "x-api-secret": "[redacted]", "x-sandbox-replay-of": "1" },
      },
    ]);
    expect(await sandbox.control("GET", "/transactions")).toMatchObject({
      transactions: [{ reference: "AGAIN" }, { reference: "AGAIN" }],
    });
    expect(await sandbox.control("GET", "/audit")).toMatchObject({ findings: [] });
    await sandbox.stop();
  });

  test("a call that the log does not have, or not whole, is refused", async () => {
    const sandbox = await startIn(join(newFolder(), "data"));
    expect(sandbox.control("POST", "/requests/7/replay")).rejects.toThrow("404 the log has no call with this id");
    expect(sandbox.pay({ padding: "x".repeat(5000) })).resolves.toStartWith("ws_CO_");
    await sandbox.control("GET", "/transactions");
    expect(sandbox.control("POST", "/requests/1/replay")).rejects.toThrow("does not keep all of the body");
    await sandbox.stop();
  });
});
