import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHROMIUM, launchBrowser } from "../../support/chromium.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { type Served, serveMomo } from "../../support/momo.ts";
import { describeWith, makeCertificate, type RunningProxy, startNginx } from "../../support/proxies.ts";

/** The console behind a real proxy that speaks TLS. */

afterAll(cleanUp);

const TOKEN = "a-token-of-the-tests";

/** What docs/operations.md recommends, and what nginx does by itself: it sends a Host of its own. */
const HEADERS = {
  "with the Host of the browser": "proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto $scheme;",
  "with a Host of the proxy's": "",
};

async function serveBehindTls(headers: string): Promise<{ server: Served; proxy: RunningProxy; origin: string }> {
  const file = join(newFolder(), "token");
  writeFileSync(file, TOKEN, { mode: 0o600 });
  const server = await serveMomo(["--control-token-file", file]);
  const { certificate, key } = await makeCertificate();
  const { port } = new URL(server.ready.base_url);
  const proxy = await startNginx(
    `ssl_certificate ${certificate}; ssl_certificate_key ${key};
     location / { proxy_pass http://127.0.0.1:${port}; proxy_buffering off; ${headers} }`,
    "ssl",
  );
  return { server, proxy, origin: `https://${proxy.address}` };
}

describeWith("nginx", "behind nginx with TLS", () => {
  describeWith("openssl", "and a certificate of openssl's", () => {
    for (const [name, headers] of Object.entries(HEADERS)) {
      test(`a write of the page is carried out, and one of another page is not: ${name}`, async () => {
        const { proxy, origin } = await serveBehindTls(headers);
        const write = async (more: Record<string, string>) => {
          const answer = await fetch(`${origin}/_momo/default`, {
            method: "PUT",
            headers: { "Content-Type": "application/json", ...more },
            body: '{"outcome":"cancelled"}',
            tls: { rejectUnauthorized: false },
          });
          return answer.status;
        };
        const page = { Origin: `https://${proxy.address}`, "Sec-Fetch-Site": "same-origin" };
        const Authorization = `Bearer ${TOKEN}`;
        expect(await write({ ...page, Authorization })).toBe(200);
        expect(await write(page)).toBe(401);
        for (const site of ["cross-site", "same-site"]) {
          expect(await write({ Origin: "https://evil.example", "Sec-Fetch-Site": site, Authorization })).toBe(403);
        }
        expect(await write({ Origin: "https://evil.example", Authorization })).toBe(403);
      });

      if (CHROMIUM === null) {
        test(`the console in Chromium, ${name}: left out, because there is no Chromium here; install it`, () => {});
        continue;
      }

      test(`the console asks for the token in Chromium, reads, writes and listens: ${name}`, async () => {
        const { server, origin } = await serveBehindTls(headers);
        const browser = await launchBrowser();
        later(() => browser.close());
        const context = await browser.newContext({ ignoreHTTPSErrors: true });
        const page = await context.newPage();
        await page.goto(`${origin}/`);
        await page.getByLabel("Control token").fill(TOKEN);
        await page.getByRole("button", { name: "Open the console" }).click();
        await page.getByText("I answer the next prompts").click();
        await page.getByText("they wait for you").waitFor();
        const answer = await server.post("/stkpush.php", { payment_account_id: 1, phone: "0712345678", amount: 100 });
        expect(answer.status).toBe(200);
        // It arrives by the stream of events.
        await page.getByText("0712 345 678").first().waitFor();
        const shown = await fetch(`${server.ready.control_url}/default`, {
          headers: { Authorization: `Bearer ${TOKEN}` },
        });
        expect(await shown.json()).toMatchObject({ outcome: "manual" });
        await browser.close();
      });
    }
  });
});
