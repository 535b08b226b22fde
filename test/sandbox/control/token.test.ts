import { describe, expect, test } from "bun:test";
import { openControl } from "../../support/control.ts";
import { expectSoundAnswer, payment } from "../../support/scenario.ts";
import { forAllTests } from "../../support/use.ts";

const TOKEN = "t0ken-of-sixteen-and-more";

const scene = forAllTests(() => openControl({ host: "0.0.0.0", token: TOKEN }));

describe("On any other address it needs Authorization: Bearer TOKEN", () => {
  const BAD: (string | undefined)[] = [
    undefined,
    "",
    TOKEN,
    "Bearer",
    "Bearer ",
    "Bearer wrong",
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Basic ${btoa(`momo:${TOKEN}`)}`,
    `Token ${TOKEN}`,
  ];
  for (const Authorization of BAD) {
    test(`401: ${Authorization ?? "no header"}`, async () => {
      const alike = await scene.call("GET", "/outcomes");
      for (const [method, path] of [
        ["GET", "/clock"],
        ["GET", "/outcomes"],
        ["POST", "/health"],
        ["GET", "/nothing"],
        ["POST", "/payments"],
        ["DELETE", "/payments"],
      ] as const) {
        const json = method === "POST" ? { json: { ...payment(scene.caller), kind: "web" } } : {};
        const answer = await scene.call(method, path, { headers: { Authorization }, ...json });
        expect(answer.status).toBe(401);
        expectSoundAnswer(answer);
        expect(answer.text).toBe(alike.text);
        expect(answer.text).not.toContain(TOKEN);
      }
      expect((await scene.send({ path: "/transactions.php" })).body.transactions).toEqual([]);
    });
  }

  test("a loopback Host header does not stand for the token", async () => {
    expect((await scene.call("GET", "/clock", { headers: { Host: "localhost" } })).status).toBe(401);
  });

  for (const Authorization of [`Bearer ${TOKEN}`, `bearer ${TOKEN}`]) {
    test(`200: ${Authorization}, whatever name this machine is called by`, async () => {
      for (const Host of ["192.168.1.5:2547", "sandbox.test", "localhost:2547"]) {
        expect((await scene.call("GET", "/clock", { headers: { Authorization, Host } })).status).toBe(200);
      }
    });
  }

  test("GET /_momo/health answers anybody, in one word: a probe has no token", async () => {
    for (const headers of [
      {},
      { Authorization: "Bearer wrong" },
      { Host: "10.0.0.7:2547", "X-Forwarded-For": "::1" },
    ]) {
      const answer = await scene.call("GET", "/health", { headers });
      expect(answer.status).toBe(200);
      expectSoundAnswer(answer);
      expect(answer.body).toEqual({ success: true, message: "momo is serving", status: "ok" });
      expect((await scene.call("HEAD", "/health", { headers })).status).toBe(200);
    }
    const known = await scene.call("GET", "/health", { headers: { Authorization: `Bearer ${TOKEN}` } });
    expect(known.body).toMatchObject({ status: "ok", pid: process.pid });
  });

  test("also with the token a page of another origin is refused", async () => {
    const Authorization = `Bearer ${TOKEN}`;
    for (const foreign of [{ Origin: "http://evil.example" }, { "Sec-Fetch-Site": "cross-site" }]) {
      expect((await scene.call("GET", "/health", { headers: { Authorization, ...foreign } })).status).toBe(403);
    }
  });

  describe("a page behind a proxy that speaks TLS may write, with the token", () => {
    const write = (headers: Record<string, string>) =>
      scene.call("PUT", "/default", { headers, json: { outcome: "completed", after: "3s" } });
    const Authorization = `Bearer ${TOKEN}`;
    const PAGES: [what: string, headers: Record<string, string>][] = [
      ["Host as the browser sent it", { Host: "momo.example", Origin: "https://momo.example" }],
      ["with its port", { Host: "momo.example:8443", Origin: "https://momo.example:8443" }],
      ["in capitals, and the port of the scheme", { Host: "Momo.Example:443", Origin: "https://momo.example" }],
      [
        "another Host, and a browser that says same-origin",
        { Host: "127.0.0.1:2547", Origin: "https://momo.example", "Sec-Fetch-Site": "same-origin" },
      ],
      ["headers of the proxy", { Host: "momo.example", Origin: "https://momo.example", "X-Forwarded-For": "::1" }],
    ];
    for (const [what, headers] of PAGES) {
      test(what, async () => {
        expect((await write({ Authorization, ...headers })).status).toBe(200);
        expect((await write(headers)).status).toBe(401);
      });
    }

    const FOREIGN: [what: string, headers: Record<string, string>][] = [
      ["another Host, and no word of the browser", { Host: "127.0.0.1:2547", Origin: "https://momo.example" }],
      [
        "the page's own word of the Host",
        { Host: "a", Origin: "https://evil.example", "X-Forwarded-Host": "evil.example" },
      ],
      ["another port", { Host: "momo.example", Origin: "https://momo.example:8443" }],
      [
        "a browser that says same-site",
        { Host: "a.example", Origin: "https://a.example", "Sec-Fetch-Site": "same-site" },
      ],
      ["a frame without an origin", { Host: "momo.example", Origin: "null" }],
    ];
    for (const [what, headers] of FOREIGN) {
      test(`403 all the same: ${what}`, async () => {
        expect((await write({ Authorization, ...headers })).status).toBe(403);
      });
    }

    test("the addresses to paste are those of the proxy", async () => {
      const headers = { Authorization, Host: "momo.example", "X-Forwarded-Proto": "https" };
      expect((await scene.call("GET", "/server", { headers })).body).toMatchObject({
        base_url: "https://momo.example/v2",
        control_url: "https://momo.example/_momo",
      });
    });
  });

  test("a token given on a loopback address is needed there too", async () => {
    const loopback = await openControl({ host: "127.0.0.1", token: TOKEN });
    expect((await loopback.call("GET", "/clock")).status).toBe(401);
    expect((await loopback.call("GET", "/clock", { headers: { Authorization: `Bearer ${TOKEN}` } })).status).toBe(200);
    await loopback.close();
  });
});
