import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { runMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const { at, baseUrl } = await startIn(newFolder());
/** What is sent through it is lost. */
const proxy = serveFake(() => new Response("proxy", { status: 502 }));
const address = `http://127.0.0.1:${proxy.port}`;

describe("a proxy in the environment does not affect requests to this machine", () => {
  test.concurrent.each<Record<string, string>>([
    { HTTP_PROXY: address, HTTPS_PROXY: address, ALL_PROXY: address },
    { HTTP_PROXY: address, NO_PROXY: "example.com" },
    { http_proxy: address, https_proxy: address, all_proxy: address },
    { http_proxy: address, no_proxy: "example.com" },
  ])("the payment arrives with %j", async (env) => {
    const run = await runMomo(["pay", "0712345678", "1", ...at, "-q"], { env });
    expect(run).toMatchObject({ stdout: expect.stringMatching(/^ws_CO_/), stderr: "", exitCode: 0 });
    expect(proxy.requests).toEqual([]);
  });

  test.concurrent("a server on another loopback address is reached directly too", async () => {
    const other = await startIn(newFolder(), { host: "127.0.0.2" });
    const run = await runMomo(["list", ...other.at], { env: { HTTP_PROXY: address } });
    expect(run).toMatchObject({ stderr: "", exitCode: 0 });
  });

  test.concurrent("momo serve names the momo that holds the port", async () => {
    const { port } = new URL(baseUrl);
    const run = await runMomo(["serve", "--port", port], { env: { HTTP_PROXY: address } });
    expect(run.stderr).toContain(`another momo (process ${process.pid})`);
  });
});
