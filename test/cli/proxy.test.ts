import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const { at, ready } = await serveMomo();

/** Whatever is sent through it is noted, and lost. */
function serveProxy() {
  const proxy = serveFake(() => new Response("proxy", { status: 502 }));
  return { ...proxy, address: `http://127.0.0.1:${proxy.port}` };
}

describe("HTTP_PROXY in the environment does not disturb what runs on this machine", () => {
  const SETTINGS: [proxyVariables: string[], exception: Record<string, string>][] = [
    [["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"], {}],
    [["http_proxy", "https_proxy", "all_proxy"], {}],
    [["HTTP_PROXY"], { NO_PROXY: "example.com" }],
    [["http_proxy"], { no_proxy: "example.com" }],
  ];
  for (const [variables, exception] of SETTINGS) {
    const names = [...variables, ...Object.keys(exception)].join(" and ");
    test.concurrent(`${names}: the payment arrives, and not at the proxy`, async () => {
      const proxy = serveProxy();
      const env = { ...Object.fromEntries(variables.map((name) => [name, proxy.address])), ...exception };
      expect((await runMomo(["pay", "0712345678", "1", ...at, "-q"], { env })).stdout).toStartWith("ws_CO_");
      expect((await runMomo(["env", ...at], { env })).exitCode).toBe(0);
      expect(proxy.requests).toHaveLength(0);
    });
  }

  test.concurrent("a server on another loopback address is reached directly too", async () => {
    const other = await serveMomo(["--host", "127.0.0.2"]);
    const run = await runMomo(["list", ...other.at], { env: { HTTP_PROXY: serveProxy().address } });
    expect(run).toMatchObject({ stderr: "", exitCode: 0 });
  });

  test.concurrent("`serve` names the momo that holds the port", async () => {
    const port = new URL(ready.base_url).port;
    const run = await runMomo(["serve", "--port", port], { env: { HTTP_PROXY: serveProxy().address } });
    expect(run.stderr).toContain(`another momo (process ${ready.pid})`);
  });
});
