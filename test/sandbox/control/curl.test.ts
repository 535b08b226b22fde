import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../../support/cleanup.ts";
import { runToEnd } from "../../support/momo.ts";
import { type Sandbox, startIn } from "../../support/sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startIn(join(newFolder(), "data"));
});
afterAll(cleanUp);

interface Logged {
  readonly method: string;
  readonly target: string;
  readonly body: string | null;
  readonly status: number;
}

const logged = async () => (await sandbox.control("GET", "/requests")).requests as Logged[];

/** What `?format=curl` shows, pasted into sh. */
async function paste(): Promise<{ exitCode: number; stdout: string }> {
  const script = await (await fetch(`${sandbox.origin}/_momo/requests?format=curl`)).text();
  const env = { MOMO_API_SECRET: sandbox.headers["X-API-Secret"] ?? "", NO_PROXY: "127.0.0.1" };
  return runToEnd(["sh", "-c", script.replaceAll("curl ", "curl -s ")], { env });
}

/** Lets the shell repeat one call, and holds the second against the first. */
async function expectRepeated(call: () => Promise<unknown>): Promise<Logged> {
  await sandbox.control("POST", "/reset", {});
  await call();
  const { exitCode } = await paste();
  expect(exitCode).toBe(0);
  const [first, second, ...more] = (await logged()).map(({ method, target, body, status }) => ({
    method,
    target,
    body,
    status,
  }));
  expect(more).toEqual([]);
  expect(second).toEqual(first);
  return first as Logged;
}

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  fetch(sandbox.baseUrl + path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...sandbox.headers, ...headers },
    body,
  });

describe("?format=curl: lines that work when pasted into sh with MOMO_API_SECRET set", () => {
  test.each([
    "it's",
    'say "hi"',
    "$HOME $(id) $((1+1))",
    "two\nlines",
    "back\\slash \\n",
    "naïve ☕ 😀 ‮",
    "-H x; rm -rf * & | > <",
    "!history %s {a,b} [1-3] ~",
    "@file",
  ])("a reference that is %j", async (reference) => {
    const body = JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 100, reference }, null, 2);
    const first = await expectRepeated(() => post("/stkpush.php", body));
    expect(first).toMatchObject({ status: 200, body });
  });

  test("the outcome header, the target with its escapes, another method", async () => {
    const json = JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 100 });
    const headers = { "X-Sandbox-Outcome": "refused" };
    expect(await expectRepeated(() => post("/stkpush.php", json, headers))).toMatchObject({ status: 500 });
    const query = "?search=%27%24%7Bx%7D%20[1-3]{a,b}'&limit=5";
    const get = () => fetch(`${sandbox.baseUrl}/transactions.php${query}`, { headers: sandbox.headers });
    expect(await expectRepeated(get)).toMatchObject({ status: 200 });
    const put = () => fetch(`${sandbox.baseUrl}/status.php`, { method: "PUT", headers: sandbox.headers, body: json });
    expect(await expectRepeated(put)).toMatchObject({ status: 405, method: "PUT", body: json });
  });

  test("several calls, one line each, in their order", async () => {
    await sandbox.control("POST", "/reset", {});
    await fetch(`${sandbox.baseUrl}/transactions.php?page=1`, { headers: sandbox.headers });
    await fetch(`${sandbox.baseUrl}/transactions.php?page=2`, { headers: sandbox.headers });
    const response = await fetch(`${sandbox.origin}/_momo/requests?format=curl`);
    expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    const lines = (await response.text()).split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[0]).toStartWith(`curl -g '${sandbox.baseUrl}/transactions.php?page=1' -H 'x-api-key: mk_`);
    expect(lines[1]).toContain("page=2");
    expect(lines[2]).toBe("");
    expect((await paste()).exitCode).toBe(0);
    expect((await logged()).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });
});
