import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { exchange, linesOf } from "../support/connection.ts";
import { startIn } from "../support/sandbox.ts";

/** Targets that a proxy reads as a path below /v2, and a URL parser as another path. */

afterAll(cleanUp);
const sandbox = await startIn(newFolder());

async function send(method: string, target: string) {
  const body = method === "POST" ? "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}" : "\r\n";
  const raw = `${method} ${target} HTTP/1.1\r\nHost: localhost\r\n${linesOf(sandbox.headers)}${body}`;
  const { answers } = await exchange(sandbox.origin, raw, { answers: 1 });
  return { status: answers[0]?.status, body: JSON.parse(answers[0]?.text ?? "null") };
}

const logged = async () =>
  (await sandbox.control("GET", "/requests")).requests as { target: string; status: number; answer: unknown }[];
const keys = async () => ((await sandbox.control("GET", "/keys")).keys as unknown[]).length;

const REFUSAL =
  "the path has a dot segment or a backslash, plain or percent-encoded: send it resolved, without . and .. parts";

/** The path as it was sent, and as the log shows it. */
const AMBIGUOUS: [sent: string, shown: string][] = [
  ["/v2/../_momo/keys", "/v2/../_momo/keys"],
  ["/v2/%2e%2e/_momo/keys", "/v2/../_momo/keys"],
  ["/v2/..\\_momo/keys", "/v2/..%5C_momo/keys"],
  ["/v2\\..\\_momo\\keys", "/v2%5C..%5C_momo%5Ckeys"],
  ["/a/b/c/d/e/f/g/h/../../../../../../../../_momo/keys", "/_momo/keys"],
  ["/a/b/c/d/e/f/g/h/../i", "/a/b/c/d/e/f/g/i"],
  ["/v2//../../_momo/keys", "/_momo/keys"],
  ["http://localhost/v2/../_momo/keys", "/v2/../_momo/keys"],
  ["/_momo/../v2/stkpush.php", "/_momo/../v2/stkpush.php"],
  ["/v2/./stkpush.php", "/v2/./stkpush.php"],
  ["/v2\\stkpush.php", "/v2%5Cstkpush.php"],
  ["/v2/stkpush.php/.", "/v2/stkpush.php/."],
  ["/_momo/.", "/_momo/."],
  ["/.", "/."],
  ["//..", "/"],
  ["/v2/%ED%A0%80/../x", "/v2/%EF%BF%BD/../x"],
  ["/v2/%\\..\\..\\_momo\\keys", "/v2/%EF%BF%BD.%5C..%5C_momo%5Ckeys"],
];

describe("a target with dot segments or backslashes is 400, and the log shows it", () => {
  test.each(AMBIGUOUS)("%s", async (sent, shown) => {
    const before = await keys();
    expect(await send("POST", `${sent}?a=../b`)).toEqual({ status: 400, body: { success: false, message: REFUSAL } });
    expect((await logged()).at(-1)).toMatchObject({ method: "POST", status: 400, target: `${shown}?a=../b` });
    expect(await keys()).toBe(before);
  });

  test.each(["GET", "DELETE"])("with the method %s, too", async (method) => {
    expect((await send(method, "/v2/../_momo/keys")).status).toBe(400);
  });

  test.each(["/v2/..#/_momo/keys", "/v2/%2e#/transactions.php", "/v2/#/_momo/keys"])(
    "behind a fragment: %s",
    async (target) => {
      expect(await send("GET", target)).toEqual({ status: 400, body: { success: false, message: REFUSAL } });
    },
  );

  test("a path that leads nowhere, also when it is resolved, is 404", async () => {
    for (const target of [
      "/v2/..%2f_momo/keys",
      "/v2/.../x",
      "/v2/..;/x",
      "/v2/%252e%252e/_momo",
      "//v2//../x",
      "/v2/x/%\\..",
      "/a/b/c/d/e/f/g/h/i/../j",
      "/a/b/c/d/e/f/g/h",
    ]) {
      expect((await send("GET", target)).status, target).toBe(404);
    }
  });

  test("dots and backslashes in a query, or inside a part, are text like any other", async () => {
    expect((await send("GET", "/v2/transactions.php?search=../a\\b")).status).toBe(200);
    expect((await send("GET", "/_momo/transactions?search=/../")).status).toBe(200);
  });

  test("the log's curl command sends the same path again, and curl does not resolve it", async () => {
    await send("GET", "/v2/../_momo/keys");
    const log = await fetch(`${sandbox.controlUrl}/requests?format=curl`);
    expect(await log.text()).toEndWith(
      `curl -g --path-as-is '${sandbox.origin}/v2/../_momo/keys' -H 'x-api-key: ${sandbox.headers["X-API-Key"]}' -H "x-api-secret: $MOMO_API_SECRET"\n`,
    );
  });
});
