import { describe, expect, test } from "bun:test";
import { CONSOLE_PATH, createConsole } from "../../../sandbox/console/page.ts";
import { HOST, openControl } from "../../support/control.ts";
import { expectSoundAnswer, readAnswer } from "../../support/scenario.ts";
import { forAllTests } from "../../support/use.ts";

const LOOPBACK = { host: "127.0.0.1", token: null };
const HTML = '<!doctype html>\n<style>b { color: red }</style>\n<script type="module">\nlet x = "</b>";\r\n</script>';

const scene = forAllTests(openControl);

const send = (path: string, { method = "GET", headers = {} }: { method?: string; headers?: object } = {}) =>
  scene.handle(new Request(`http://${HOST}${path}`, { method, headers: { Host: HOST, ...headers } }));

describe("GET /_momo/ serves the page", () => {
  test("as HTML that nobody keeps, guesses at or frames", async () => {
    const response = await send("/_momo/");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("Cache-Control")).toBe("no-store");
    expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(response.headers.get("Referrer-Policy")).toBe("no-referrer");
    expect(response.headers.get("Content-Security-Policy")).toContain("frame-ancestors 'none'");
    expect(await response.text()).toStartWith("<!doctype html>");
  });

  test("HEAD works, and so does a query", async () => {
    expect((await send("/_momo/", { method: "HEAD" })).status).toBe(200);
    expect((await send("/_momo/?x=%")).status).toBe(200);
  });

  test("a policy under which only its own scripts and styles run, by hash", async () => {
    const page = createConsole(HTML, LOOPBACK);
    const response = await page(new Request(`http://${HOST}${CONSOLE_PATH}`, { headers: { Host: HOST } }));
    const hashOf = (text: string) => `'sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}'`;
    expect(response.headers.get("Content-Security-Policy")?.split("; ")).toEqual([
      "default-src 'none'",
      // The parser of a browser turns CRLF into LF before it hashes.
      `script-src ${hashOf('\nlet x = "</b>";\n')}`,
      `style-src ${hashOf("b { color: red }")}`,
      "connect-src 'self'",
      "img-src data:",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(await response.text()).toBe(HTML);
  });

  test("compressed where the client takes it, and as it is where it does not", async () => {
    const page = createConsole(HTML, LOOPBACK);
    const encodingFor = async (offer: string) => {
      const headers = { Host: HOST, "Accept-Encoding": offer };
      const response = await page(new Request(`http://${HOST}${CONSOLE_PATH}`, { headers }));
      const bytes = new Uint8Array(await response.arrayBuffer());
      const encoding = response.headers.get("Content-Encoding");
      const text = new TextDecoder().decode(encoding === "gzip" ? Bun.gunzipSync(bytes) : bytes);
      expect(text).toBe(HTML);
      return encoding;
    };
    for (const offer of ["gzip", "br, gzip, deflate", "GZIP;q=0.5", "br;q=1.0, gzip;q=0.8"]) {
      expect(await encodingFor(offer)).toBe("gzip");
    }
    for (const offer of ["", "identity", "br", "gzip;q=0", "gzip; q=0.0", "notgzip", "x-gzip-y"]) {
      expect(await encodingFor(offer)).toBeNull();
    }
  });

  test("a page without scripts lets none run", async () => {
    const page = createConsole("<p>momo", LOOPBACK);
    const response = await page(new Request(`http://${HOST}${CONSOLE_PATH}`, { headers: { Host: HOST } }));
    expect(response.headers.get("Content-Security-Policy")).toContain("; script-src 'none'; style-src 'none'; ");
  });
});

describe("GET / and GET /_momo lead to /_momo/", () => {
  for (const path of ["/", "/_momo", "/?x=1"]) {
    test.each(["GET", "HEAD"])(`%s ${path}`, async (method) => {
      const response = await send(path, { method });
      expect(response.status).toBe(302);
      expect(response.headers.get("Location")).toBe("/_momo/");
    });
  }

  test("a client that posts to / has lost its way, and is told the operations", async () => {
    const answer = await readAnswer(await send("/", { method: "POST" }));
    expect(answer.status).toBe(404);
    expect(answer.body.message).toContain("POST /v2/stkpush.php");
  });
});

describe("other methods: 405 with Allow", () => {
  for (const path of ["/_momo", "/_momo/"]) {
    test.each(["POST", "PUT", "DELETE", "OPTIONS"])(`%s ${path}`, async (method) => {
      const answer = await readAnswer(await send(path, { method }));
      expect(answer.status).toBe(405);
      expect(answer.headers.get("Allow")).toBe("GET, HEAD");
      expectSoundAnswer(answer);
    });
  }
});

describe("behind the Host guard; the page itself needs no token", () => {
  for (const path of ["/", "/_momo", "/_momo/"]) {
    test(`${path} is refused by a name that somebody made to lead here`, async () => {
      const answer = await readAnswer(await send(path, { headers: { Host: "evil.example:2547" } }));
      expect(answer.status).toBe(403);
      expectSoundAnswer(answer);
    });
  }

  test("a link from another page leads to it", async () => {
    const headers = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" };
    expect((await send("/_momo/", { headers })).status).toBe(200);
  });

  test("off loopback it is served without a token, under any name; the calls are not", async () => {
    const remote = await openControl({ host: "0.0.0.0", token: "t0ken-of-sixteen-and-more" });
    const get = (path: string) =>
      remote.handle(new Request(`http://sandbox.test${path}`, { headers: { Host: "sandbox.test" } }));
    expect((await get("/_momo/")).status).toBe(200);
    expect((await get("/_momo/clock")).status).toBe(401);
    await remote.close();
  });
});
