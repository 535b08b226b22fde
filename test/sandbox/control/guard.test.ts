import { describe, expect, test } from "bun:test";
import { createGuard, createHostGuard, isFromAnotherSite } from "../../../sandbox/control/guard.ts";
import { HOST } from "../../support/scene.ts";

type Sent = Readonly<Record<string, string>>;

const TOKEN = "t0ken-of-sixteen-and-more";
const requestWith = (headers: Sent) => new Request(`http://${HOST}/_momo/health`, { headers });

/** The status of the refusal; null where the request is accepted. */
const loopback = (headers: Sent) =>
  createGuard({ host: "127.0.0.1", token: null })(requestWith(headers))?.status ?? null;
const withToken = (headers: Sent) =>
  createGuard({ host: "0.0.0.0", token: TOKEN })(requestWith(headers))?.status ?? null;

describe("without a token, Host must be a loopback name or the configured one", () => {
  test.each(["localhost", "LOCALHOST:2547", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:2547"])(
    "%s is accepted",
    (Host) => expect(loopback({ Host })).toBeNull(),
  );

  test.each([
    "",
    "evil.example:2547",
    "127.0.0.1.evil.example",
    "localhost.evil.example:2547",
    "evil.example#localhost",
    "localhost@evil.example",
    "evillocalhost",
    "localhost:2547:80",
    "localhost:port",
    "127.0.0.1, localhost",
    "128.0.0.1",
    "0.0.0.0",
    "[::2]",
    "::1",
  ])("%s is refused", (Host) => expect(loopback({ Host })).toBe(403));

  test("no Host is refused; the configured name is accepted", () => {
    expect(loopback({})).toBe(403);
    const named = createGuard({ host: "sandbox.test", token: null });
    expect(named(requestWith({ Host: "sandbox.test:2547" }))).toBeNull();
    for (const Host of ["other.test:2547", "xsandbox.test", "x.sandbox.test", "sandbox.test.example"]) {
      expect(named(requestWith({ Host }))?.status).toBe(403);
    }
  });
});

describe("without a token, a request that arrived through a proxy is refused", () => {
  test.each<Sent>([
    { Forwarded: "for=192.0.2.1" },
    { "X-Forwarded-For": "192.0.2.1" },
    { "X-Forwarded-Host": "localhost" },
    { "X-Forwarded-Proto": "https" },
    { "X-Forwarded-Prefix": "/v2" },
    { "X-Real-IP": "127.0.0.1" },
    { Via: "1.1 proxy" },
  ])("%j", (headers) => {
    const refusal = createHostGuard({ host: "127.0.0.1", token: null })(requestWith({ Host: HOST, ...headers }));
    expect(refusal?.status).toBe(403);
    expect(refusal?.text).toMatch(
      /a proxy sent this .*: start momo serve with a token, in --control-token-file or MOMO_CONTROL_TOKEN"/,
    );
  });
});

describe("without a token, a page of another origin is refused", () => {
  test.each<Sent>([
    { Origin: `https://${HOST}` },
    { Origin: "http://127.0.0.1" },
    { Origin: "http://localhost:2547" },
    { "Sec-Fetch-Site": "anything" },
    { Host: "evil.example:2547", Origin: "http://evil.example:2547", "Sec-Fetch-Site": "same-origin" },
  ])("%j", (headers) => expect(loopback({ Host: HOST, ...headers })).toBe(403));

  test.each<Sent>([
    {},
    { "Sec-Fetch-Site": "none" },
    { "Sec-Fetch-Site": "same-origin" },
    { Origin: `http://${HOST}`, "Sec-Fetch-Site": "same-origin" },
    { Host: "localhost:2547", Origin: "http://localhost:2547" },
  ])("but not %j", (headers) => expect(loopback({ Host: HOST, ...headers })).toBeNull());
});

describe("with a token, Authorization must be Bearer TOKEN", () => {
  test.each([
    TOKEN,
    "Bearer ",
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Basic ${btoa(`momo:${TOKEN}`)}`,
  ])("401: %s", (Authorization) => expect(withToken({ Host: HOST, Authorization })).toBe(401));

  test.each([`Bearer ${TOKEN}`, `bearer ${TOKEN}`])("%s is accepted, whatever the name of this machine", (value) => {
    for (const Host of ["192.168.1.5:2547", "sandbox.test", "localhost:2547"]) {
      expect(withToken({ Host, Authorization: value })).toBeNull();
    }
  });

  test("on a loopback address, too", () => {
    const guard = createGuard({ host: "127.0.0.1", token: TOKEN });
    expect(guard(requestWith({ Host: HOST }))?.status).toBe(401);
    expect(guard(requestWith({ Host: HOST, Authorization: `Bearer ${TOKEN}` }))).toBeNull();
  });
});

/** Pages of the server itself, also behind a proxy that accepts TLS. */
const OWN: [what: string, headers: Sent][] = [
  ["Host as the browser sent it", { Host: "momo.example", Origin: "https://momo.example" }],
  ["with its port", { Host: "momo.example:8443", Origin: "https://momo.example:8443" }],
  ["in capitals, with the port of the scheme", { Host: "Momo.Example:443", Origin: "https://momo.example" }],
  [
    "another Host, but the browser says same-origin",
    { Host: HOST, Origin: "https://momo.example", "Sec-Fetch-Site": "same-origin" },
  ],
  ["headers of a proxy", { Host: "momo.example", Origin: "https://momo.example", "X-Forwarded-For": "::1" }],
  ["no browser", { Host: HOST }],
  ["an address that the user typed", { Host: HOST, "Sec-Fetch-Site": "none" }],
];

const FOREIGN: [what: string, headers: Sent][] = [
  ["another Host, and an old browser", { Host: HOST, Origin: "https://momo.example" }],
  ["a page that claims a Host", { Host: "a", Origin: "https://evil.example", "X-Forwarded-Host": "evil.example" }],
  ["another port", { Host: "momo.example", Origin: "https://momo.example:8443" }],
  ["a longer name", { Host: HOST, Origin: `http://${HOST}.evil.example` }],
  ["same-site", { Host: "a.example", Origin: "https://a.example", "Sec-Fetch-Site": "same-site" }],
  ["cross-site", { Host: HOST, "Sec-Fetch-Site": "cross-site" }],
  ["an extension of the browser", { Host: HOST, Origin: "chrome-extension://abc", "Sec-Fetch-Site": "none" }],
  ["a frame without an origin", { Host: "momo.example", Origin: "null" }],
  ["an empty origin", { Host: HOST, Origin: "" }],
];

describe("with a token, and for the merchant API: pages of this server are accepted, those of other sites refused", () => {
  const Authorization = `Bearer ${TOKEN}`;

  test.each(OWN)("accepted: %s", (_what, headers) => {
    expect(withToken({ Authorization, ...headers })).toBeNull();
    expect(withToken(headers)).toBe(401);
    expect(isFromAnotherSite(new Headers(headers))).toBe(false);
  });

  test.each(FOREIGN)("refused: %s", (_what, headers) => {
    expect(withToken({ Authorization, ...headers })).toBe(403);
    expect(isFromAnotherSite(new Headers(headers))).toBe(true);
  });
});
