import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const QUIET = { stdout: "", stderr: "", exitCode: 0 };

test.concurrent("momo health says nothing and ends with 0 where a server serves: by the data directory, by --base-url", async () => {
  const { at, ready } = await serveMomo();
  expect(await runMomo(["health", ...at])).toEqual(QUIET);
  expect(await runMomo(["health", "--base-url", ready.base_url])).toEqual(QUIET);
});

test.concurrent("the same off loopback without the token, also with a wrong one", async () => {
  const { ready } = await serveMomo(["--host", "0.0.0.0"]);
  const elsewhere = ["health", "--base-url", ready.base_url, "--data", join(newFolder(), "other")];
  expect(await runMomo(elsewhere)).toEqual(QUIET);
  expect(await runMomo(elsewhere, { env: { MOMO_CONTROL_TOKEN: "wrong-wrong-wrong" } })).toEqual(QUIET);
});

test.concurrent("momo health ends with 6 and one line where no server runs, was killed, is stopping, or is another program", async () => {
  const { at, kill } = await serveMomo();
  await kill();
  const draining = serveFake(() => Response.json({ success: false, message: "momo is stopping" }, { status: 503 }));
  const other = serveFake(() => new Response("hello"));
  const runs = await Promise.all([
    runMomo(["health", "--data", join(newFolder(), "none")]),
    runMomo(["health", ...at]),
    runMomo(["health", "--base-url", draining.baseUrl]),
    runMomo(["health", "--base-url", other.baseUrl]),
  ]);
  for (const run of runs)
    expect(run).toMatchObject({ stdout: "", exitCode: 6, stderr: expect.stringMatching(/^momo: /) });
});

test.concurrent("a port that another momo holds off loopback is said to be held by one", async () => {
  const { ready } = await serveMomo(["--host", "0.0.0.0"]);
  const { stderr } = await runMomo([
    "serve",
    "--ephemeral",
    "--host",
    "0.0.0.0",
    "--port",
    new URL(ready.base_url).port,
  ]);
  expect(stderr).toContain("another momo");
});
