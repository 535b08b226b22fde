import { afterAll, describe, expect, test } from "bun:test";
import { merchantClient } from "../../cli/client/client.ts";
import { type Failure, toFailure } from "../../cli/terminal/failure.ts";
import { cleanUp } from "../support/cleanup.ts";
import { type FakeServer, flagsOf, serveFake } from "../support/fake-server.ts";
import { failureOf, runMomo } from "../support/momo.ts";
import { openMomo } from "../support/terminal.ts";

afterAll(cleanUp);

/** How a request to this server fails. */
const failureFrom = ({ baseUrl }: FakeServer): Promise<Failure> =>
  merchantClient({ baseUrl, apiKey: "mk_1", apiSecret: "ms_1", paymentAccountId: null })
    .get("/transactions.php", {})
    .then(() => Promise.reject(new Error("it did not fail")), toFailure);

const html = (status: number) =>
  new Response("<!doctype html><h1>It works!</h1>", { status, headers: { "Content-Type": "text/html" } });

describe("a server that answers garbage is named, and gets one request", () => {
  const GARBAGE: [what: string, answer: () => Response][] = [
    ["HTML", () => html(200)],
    ["HTML with 404", () => html(404)],
    ["nothing", () => new Response("")],
    ["null", () => Response.json(null)],
    ["a list", () => Response.json([{ success: true }])],
    ["success as a word", () => Response.json({ success: "true", message: "" })],
    ["no message", () => Response.json({ success: true })],
    ["bytes", () => new Response(new Uint8Array([0xff, 0xfe, 0x00, 0x7b]))],
    ["a redirect", () => Response.redirect("http://127.0.0.1:1/", 302)],
  ];
  test.concurrent.each(GARBAGE)("%s", async (_what, answer) => {
    const server = serveFake(answer);
    expect(await failureFrom(server)).toMatchObject({
      code: "unexpected",
      message: expect.stringContaining(`http://127.0.0.1:${server.port}`),
      hint: expect.stringContaining("--base-url"),
    });
    expect(server.requests).toHaveLength(1);
  });

  test.concurrent("momo list: a failure on stderr, nothing on stdout, exit 1", async () => {
    const run = await runMomo(["list", ...flagsOf(serveFake(() => html(200))), "--json"]);
    expect(failureOf(run).code).toBe("unexpected");
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
  });
});

const EXITS: [status: number, code: string, exitCode: number][] = [
  [400, "refused", 5],
  [401, "unauthorized", 4],
  [403, "unauthorized", 4],
  [404, "not_found", 3],
  [409, "refused", 5],
  [500, "refused", 5],
  [503, "refused", 5],
];
test.concurrent.each(EXITS)("a refusal with %d: %s, exit %d", async (status, code, exitCode) => {
  const server = serveFake(() => Response.json({ success: false, message: "no" }, { status }));
  const hint = { 401: expect.stringContaining("give those of a key in force"), 403: null }[status];
  expect(await failureFrom(server)).toMatchObject({
    code,
    message: "no",
    exitCode,
    ...(hint !== undefined && { hint }),
  });
});

describe("a success without its members is a failure, and `undefined` is never printed or sent", () => {
  const INCOMPLETE: [args: string[], members: object][] = [
    [["pay", "0712345678", "1", "--account", "1", "-q"], {}],
    [["pay", "0712345678", "1", "--account", "1", "--wait", "--interval", "50ms"], {}],
    [["status", "x", "-q"], {}],
    [["list", "-q"], {}],
    [["list", "-q"], { transactions: [null] }],
    [["list", "-q"], { transactions: [{}] }],
  ];
  test.concurrent.each(INCOMPLETE)("momo %j ← %j", async (args, members) => {
    const server = serveFake(() => Response.json({ success: true, message: "", ...members }));
    const run = await runMomo([...args, ...flagsOf(server)]);
    expect(run).toMatchObject({ stdout: "", exitCode: 1, stderr: expect.stringMatching(/^momo: the service answer/) });
    expect(JSON.stringify(server.requests.map(({ url }) => url))).not.toContain("undefined");
  });

  test.concurrent("on a terminal: a list without its page", async () => {
    const server = serveFake(() => Response.json({ success: true, message: "", transactions: [] }));
    const { screen, exited } = openMomo(["list", ...flagsOf(server)]);
    expect(await exited).toBe(1);
    expect(screen.text).toContain("momo: the service answer");
  });
});

test.concurrent("no server: exit 6", async () => {
  const run = await runMomo(["list", ...flagsOf({ baseUrl: "http://127.0.0.1:1/v2" }), "--json"]);
  expect(failureOf(run)).toEqual({
    code: "unreachable",
    message: "nothing answers at http://127.0.0.1:1",
    hint: expect.stringContaining("momo serve"),
  });
  expect(run).toMatchObject({ stdout: "", exitCode: 6 });
});
