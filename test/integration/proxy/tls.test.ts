import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cleanUp, later } from "../../support/cleanup.ts";
import type { Served } from "../../support/momo.ts";
import { describeWith, launchBrowser, testWith } from "../../support/needs.ts";
import { makeCertificate, serveWithToken, startNginx, TOKEN } from "../../support/proxies.ts";

/** The console behind a real proxy with TLS. */

afterAll(cleanUp);

/** What docs/operations.md recommends, and what nginx does by default: it sends its own Host, and buffers. */
const RECOMMENDED =
  "proxy_set_header Host $http_host; proxy_set_header X-Forwarded-Proto $scheme; proxy_buffering off;";
const CASES = [
  ["with the Host of the browser", "", RECOMMENDED],
  ["with its defaults", "", ""],
  ["below a path", "/sandbox", ""],
] as const;

describeWith(["nginx", "openssl"], "behind nginx with TLS", () => {
  describe.each(CASES)("%s", (_name, path, headers) => {
    let server: Served;
    let origin: string;
    beforeAll(async () => {
      server = await serveWithToken();
      const { certificate, key } = await makeCertificate();
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
      const browser = await launchBrowser();
      later(() => browser.close());
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
      await browser.close();
    });
  });
});
