import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { runToEnd } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const REFERENCES = [
  "it's",
  'say "hi"',
  "$HOME $(id) $((1+1))",
  "two\nlines",
  "back\\slash \\n",
  "naïve ☕ 😀 ‮",
  "-H x; rm -rf * & | > <",
  "!history %s {a,b} [1-3] ~",
  "@file",
];

test("GET /_momo/requests?format=curl: the lines work when they are pasted into sh with MOMO_API_SECRET set", async () => {
  const sandbox = await startIn(join(newFolder(), "data"));
  const send = (method: string, path: string, body?: object, more: Record<string, string> = {}) => {
    const headers = { ...sandbox.headers, ...(body && { "Content-Type": "application/json" }), ...more };
    return fetch(sandbox.baseUrl + path, { method, headers, ...(body && { body: JSON.stringify(body, null, 2) }) });
  };
  const order = { payment_account_id: 1, phone: "0712345678", amount: 100 };
  for (const reference of REFERENCES) await send("POST", "/stkpush.php", { ...order, reference });
  await send("POST", "/stkpush.php", order, { "X-Sandbox-Outcome": "refused" });
  await send("GET", "/transactions.php?search=%27%24%7Bx%7D%20[1-3]{a,b}'&limit=5");
  await send("HEAD", "/transactions.php");
  await send("PUT", "/status.php", order);

  const script = await (await fetch(`${sandbox.origin}/_momo/requests?format=curl`)).text();
  const env = { MOMO_API_SECRET: sandbox.headers["X-API-Secret"] ?? "", NO_PROXY: "127.0.0.1" };
  const { exitCode } = await runToEnd(["sh", "-c", script.replaceAll("curl ", "curl -s ")], { env });
  expect(exitCode).toBe(0);

  const { requests } = await sandbox.control("GET", "/requests");
  const calls = (requests as Record<string, unknown>[]).map(({ method, target, body, status }) => ({
    ...{ method, target, body, status },
  }));
  expect(calls).toHaveLength(2 * (REFERENCES.length + 4));
  const written = calls.splice(0, calls.length / 2);
  expect(calls).toEqual(written);
  expect(written.map(({ status }) => status)).toEqual([...REFERENCES.map(() => 200), 500, 200, 405, 405]);
});
