import { expect, test } from "bun:test";
import { CONSOLE_PATH, createConsole } from "../../../sandbox/console/page.ts";
import { forAllTests } from "../../support/cleanup.ts";
import { expectSoundAnswer, HOST, openScene, readAnswer } from "../../support/scene.ts";

const HTML = '<!doctype html>\n<style>b { color: red }</style>\n<script type="module">\nlet x = "</b>";\r\n</script>';

const scene = forAllTests(openScene);

const send = (path: string, { method = "GET", headers = {} }: { method?: string; headers?: object } = {}) =>
  scene.handle(new Request(`http://${HOST}${path}`, { method, headers: { Host: HOST, ...headers } }));

const sendFor = (html: string, headers: object = {}, guard = { host: "127.0.0.1", token: null as string | null }) =>
  createConsole(
    async () => html,
    guard,
  )(new Request(`http://${HOST}${CONSOLE_PATH}`, { headers: { Host: HOST, ...headers } }));

test("GET and HEAD /_momo/ are the page, which no cache keeps; a link from another site leads to it", async () => {
  const response = await send("/_momo/");
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
  });
  expect(await response.text()).toStartWith("<!doctype html>");
  const headers = { "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate" };
  const others = [send("/_momo/", { method: "HEAD" }), send("/_momo/?x=%"), send("/_momo/", { headers })];
  for (const { status } of [response, ...(await Promise.all(others))]) expect(status).toBe(200);
});

test("only its own scripts and styles run, by hash, and no other page frames it", async () => {
  const response = await sendFor(HTML);
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
  const policy = (await sendFor("<p>momo")).headers.get("Content-Security-Policy");
  expect(policy).toContain("; script-src 'none'; style-src 'none'; ");
});

test.each([
  ...["gzip", "br, gzip, deflate", "GZIP;q=0.5", "br;q=1.0, gzip;q=0.8"].map((offer) => [offer, "gzip"]),
  ...["", "br", "gzip;q=0", "gzip; q=0.0", "notgzip", "x-gzip-y"].map((offer) => [offer, null]),
])("Accept-Encoding: %s answers with the encoding %p", async (offer, encoding) => {
  const response = await sendFor(HTML, { "Accept-Encoding": offer });
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect(response.headers.get("Content-Encoding")).toBe(encoding);
  expect(new TextDecoder().decode(encoding === null ? bytes : Bun.gunzipSync(bytes))).toBe(HTML);
});

test.each(["/", "/_momo", "/?x=1"])("GET and HEAD %s redirect to /_momo/", async (path) => {
  for (const method of ["GET", "HEAD"]) {
    const response = await send(path, { method });
    expect([response.status, response.headers.get("Location")]).toEqual([302, "_momo/"]);
  }
});

test("POST / names the operations of the merchant API", async () => {
  const answer = await readAnswer(await send("/", { method: "POST" }));
  expect([answer.status, answer.body.message]).toEqual([404, expect.stringContaining("POST /v2/stkpush.php")]);
});

test.each(["/", "/_momo", "/_momo/"])(
  "%s is refused under a foreign host name, and takes no other method",
  async (path) => {
    const foreign = [await send(path, { headers: { Host: "evil.example:2547" } })];
    const answers = path === "/" ? foreign : [...foreign, await send(path, { method: "PUT" })];
    for (const [index, sent] of answers.entries()) {
      const answer = await readAnswer(sent);
      expect([answer.status, answer.headers.get("Allow")]).toEqual(index === 0 ? [403, null] : [405, "GET, HEAD"]);
      expectSoundAnswer(answer);
    }
  },
);

test("off loopback the page needs no token, and has any host name", async () => {
  const guard = { host: "0.0.0.0", token: "t0ken-of-sixteen-and-more" };
  expect((await sendFor(HTML, { Host: "sandbox.test" }, guard)).status).toBe(200);
});
