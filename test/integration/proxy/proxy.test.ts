import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Browser } from "playwright-core";
import { cleanUp } from "../../support/cleanup.ts";
import { connectTo } from "../../support/connection.ts";
import { type Served, serveMomo } from "../../support/momo.ts";
import { describeWith, launchBrowser, testWith } from "../../support/needs.ts";
import { type RunningProxy, startHaproxy } from "../../support/proxies.ts";
import { makeCertificate, serveWithToken, startNginx, TOKEN } from "./nginx.ts";

/** What a client elsewhere can reach through a real proxy: never the control API. */

afterAll(cleanUp);

let withToken: Served;
let withControlPort: Served;
let bare: Served;
beforeAll(async () => {
  withToken = await serveWithToken();
  withControlPort = await serveMomo(["--control-port", "0"]);
  bare = await serveMomo();
});

/** Sends a target as it is. */
async function send(
  proxy: RunningProxy,
  target: string,
  host: string,
  more = "",
): Promise<{ status: number; text: string }> {
  const connection = await connectTo(`http://${proxy.address}`);
  const body = '{"label":"evil"}';
  connection.write(
    `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n${more}\r\n${body}`,
  );
  await connection.closed;
  const { text } = connection.received;
  return { status: Number(text.split(" ")[1]), text };
}

async function keysOf({ ready }: Served): Promise<number> {
  const answer = await fetch(`${ready.control_url}/keys`, { headers: { Authorization: `Bearer ${TOKEN}` } });
  return ((await answer.json()) as { keys: unknown[] }).keys.length;
}

const portOf = ({ ready }: Served) => new URL(ready.base_url).port;

/** Paths that lead to the keys if a proxy or momo resolves them. */
const TRAVERSALS = [
  "/v2/../_momo/keys",
  "/v2/%2e%2e/_momo/keys",
  "/v2/%2E./_momo/keys",
  "/v2/..\\_momo/keys",
  "/v2/..%5c_momo/keys",
  "/v2/..%2f_momo/keys",
  "/v2/x/../../_momo/keys",
  "/v2//../../_momo/keys",
  "/v2/%2e%2e%5c_momo/keys",
  "/v2/..;/_momo/keys",
];

/** Expects that no client can make a key, whatever host it names. */
async function expectClosed(
  server: Served,
  proxy: RunningProxy,
  targets: readonly string[],
  statuses: readonly number[],
) {
  const before = await keysOf(server);
  for (const target of targets) {
    for (const host of ["localhost", "127.0.0.1", "shop.example"]) {
      const { status, text } = await send(proxy, target, host);
      expect(statuses, `${target} ${host}: ${text}`).toContain(status);
    }
  }
  expect(await keysOf(server)).toBe(before);
}

async function expectOpenToMerchants(
  { ready }: Served,
  proxy: RunningProxy,
  path = "/v2/transactions.php",
): Promise<void> {
  const headers = { "X-API-Key": ready.api_key, "X-API-Secret": ready.api_secret, Host: "shop.example" };
  expect((await fetch(`http://${proxy.address}${path}`, { headers })).status).toBe(200);
}

/** How a proxy forwards everything, how it does so and names its client, and how it forwards what begins with /v2/. */
type Forwarding = "plain" | "telling" | "prefix";

const momoAt = (port: string) => `backend momo\n  server momo 127.0.0.1:${port}`;
const FORWARDED = "option forwardfor\n  http-request set-header X-Forwarded-Proto http\n  default_backend momo";
const NGINX: Record<Forwarding, (port: string) => string> = {
  plain: (port) => `location / { proxy_pass http://127.0.0.1:${port}; }`,
  telling: (port) =>
    `location / { proxy_pass http://127.0.0.1:${port}; proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; }`,
  prefix: (port) => `location /v2/ { proxy_pass http://127.0.0.1:${port}; }`,
};
const HAPROXY: Record<Forwarding, (port: string) => string> = {
  plain: (port) => `  default_backend momo\n${momoAt(port)}`,
  telling: (port) => `  ${FORWARDED}\n${momoAt(port)}`,
  prefix: (port) => `  use_backend momo if { path_beg /v2/ }\n${momoAt(port)}`,
};

for (const [program, startProxy, configurations] of [
  ["nginx", startNginx, NGINX],
  ["haproxy", startHaproxy, HAPROXY],
] as const) {
  const before = (server: Served, how: Forwarding) => startProxy(configurations[how](portOf(server)));

  describeWith([program], `behind ${program}`, () => {
    test("that forwards everything, with a token: no key without it", async () => {
      const proxy = await before(withToken, "plain");
      await expectOpenToMerchants(withToken, proxy);
      await expectClosed(withToken, proxy, ["/_momo/keys"], [401]);
      const good = await send(proxy, "/_momo/keys", "shop.example", `Authorization: Bearer ${TOKEN}\r\n`);
      expect(good.status, good.text).toBe(200);
    });

    test("that forwards everything, with --control-port: there is nothing at /_momo", async () => {
      const proxy = await before(withControlPort, "plain");
      await expectOpenToMerchants(withControlPort, proxy);
      await expectClosed(withControlPort, proxy, ["/_momo/keys"], [404]);
      await expectClosed(withControlPort, proxy, TRAVERSALS, [400, 404]);
    });

    test("that names its client, with neither: refused, with what to do", async () => {
      const proxy = await before(bare, "telling");
      await expectOpenToMerchants(bare, proxy);
      await expectClosed(bare, proxy, ["/_momo/keys"], [403]);
      expect((await send(proxy, "/_momo/keys", "localhost")).text).toContain(
        "--control-token-file or MOMO_CONTROL_TOKEN",
      );
    });

    test("that forwards /v2/ alone, with neither: no path leads out of it", async () => {
      const proxy = await before(bare, "prefix");
      await expectOpenToMerchants(bare, proxy);
      // The proxy answers some of them itself: haproxy with 503 if no rule fits.
      await expectClosed(bare, proxy, ["/_momo/keys", ...TRAVERSALS], [400, 403, 404, 503]);
    });
  });
}

describeWith(["nginx"], "behind nginx with a rule that replaces the prefix", () => {
  test.each([
    ["/api/", TRAVERSALS.map((target) => target.replace("/v2/", "/api/"))],
    ["/api", ["/api../_momo/keys", "/api%2e%2e/_momo/keys", "/api..\\_momo/keys", "/api..%5c_momo/keys"]],
  ])("no path leads out of %s", async (location, targets) => {
    const proxy = await startNginx(`location ${location} { proxy_pass http://127.0.0.1:${portOf(bare)}/v2/; }`);
    if (location.endsWith("/")) await expectOpenToMerchants(bare, proxy, "/api/transactions.php");
    await expectClosed(bare, proxy, targets, [400, 404]);
  });
});

/** The console behind a real proxy with TLS. */

/** What docs/operations.md recommends, and what nginx does by default: it sends its own Host, and buffers. */
const RECOMMENDED =
  "proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto $scheme; proxy_buffering off;";
const CASES = [
  ["with the Host of the browser", "", RECOMMENDED],
  ["with its defaults", "", ""],
  ["below a path", "/sandbox", ""],
] as const;

describeWith(["nginx"], "behind nginx with TLS", () => {
  let browser: Browser | undefined;
  afterAll(() => browser?.close());

  describe.each(CASES)("%s", (_name, path, headers) => {
    let server: Served;
    let origin: string;
    beforeAll(async () => {
      server = await serveWithToken();
      const { certificate, key } = makeCertificate();
      const { port } = new URL(server.ready.base_url);
      const proxy = await startNginx(
        `ssl_certificate ${certificate}; ssl_certificate_key ${key};
           location ${path}/ { proxy_pass http://127.0.0.1:${port}/; ${headers} }`,
        "ssl",
      );
      origin = `https://${proxy.address}`;
    });

    test("a write of the page is carried out, and one of another page is not", async () => {
      const write = async (more: Record<string, string>) => {
        const answer = await fetch(`${origin}${path}/_momo/default`, {
          method: "PUT",
          headers: { "Content-Type": "application/json", ...more },
          body: '{"outcome":"cancelled"}',
          tls: { rejectUnauthorized: false },
        });
        return answer.status;
      };
      const page = { Origin: origin, "Sec-Fetch-Site": "same-origin" };
      const Authorization = `Bearer ${TOKEN}`;
      expect(await write({ ...page, Authorization })).toBe(200);
      expect(await write(page)).toBe(401);
      for (const site of ["cross-site", "same-site"]) {
        expect(await write({ Origin: "https://evil.example", "Sec-Fetch-Site": site, Authorization })).toBe(403);
      }
      expect(await write({ Origin: "https://evil.example", Authorization })).toBe(403);
    });

    testWith(["Chromium"], "the console asks for the token in Chromium, reads, writes and listens", async () => {
      browser ??= await launchBrowser();
      const context = await browser.newContext({ ignoreHTTPSErrors: true });
      const page = await context.newPage();
      await page.goto(`${origin}${path}/`);
      await page.getByLabel("Control token").fill(TOKEN);
      await page.getByRole("button", { name: "Open the console" }).click();
      await page.getByText("I answer the next prompts").click();
      await page.getByText("they wait for you").waitFor();
      await server.pay();
      // It arrives by the stream of events.
      await page.getByText("0712 345 678").first().waitFor();
      const shown = await fetch(`${server.ready.control_url}/default`, {
        headers: { Authorization: `Bearer ${TOKEN}` },
      });
      expect(await shown.json()).toMatchObject({ outcome: "manual" });
      await context.close();
    });
  });
});
