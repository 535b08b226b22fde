import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { runMomo, serveMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

test.concurrent.each([
  ["on loopback", "127.0.0.1", null],
  ["off loopback, without the token and with a wrong one", "0.0.0.0", "a-control-token-of-ours"],
])("momo health says nothing and ends with 0 where a server serves: %s", async (_where, host, controlToken) => {
  const { at, baseUrl } = await startIn(newFolder(), { host, controlToken });
  const env = { MOMO_CONTROL_TOKEN: "wrong-wrong-wrong" };
  for (const run of [
    await runMomo(["health", ...at]),
    await runMomo(["health", "--base-url", baseUrl]),
    await runMomo(["health", "--base-url", baseUrl], { env }),
  ])
    expect(run).toEqual({ stdout: "", stderr: "", exitCode: 0 });
});

test.concurrent("momo health ends with 6 and one line where no server runs, was killed, is stopping, or is another program", async () => {
  const { at, kill } = await serveMomo();
  await kill();
  const draining = serveFake(() => Response.json({ success: false, message: "momo is stopping" }, { status: 503 }));
  const other = serveFake(() => new Response("hello"));
  for (const flags of [
    ["--data", join(newFolder(), "none")],
    at,
    ["--base-url", draining.baseUrl],
    ["--base-url", other.baseUrl],
  ]) {
    const run = await runMomo(["health", ...flags]);
    expect(run).toMatchObject({ stdout: "", exitCode: 6, stderr: expect.stringMatching(/^momo: /) });
  }
});
