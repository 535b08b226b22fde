import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { serveMomo } from "../support/momo.ts";
import { expectSound, expectUnharmed } from "./live.ts";
import { REQUESTS } from "./requests.ts";

afterAll(cleanUp);

const server = await serveMomo(["--quiet", "--prompt-timeout", "1s"]);

describe("body of every answer: JSON with `success` and `message`, in a status that the operation documents", () => {
  for (const [name, property] of Object.entries(REQUESTS)) {
    test(name, async () => {
      await property(server, { numRuns: 25, seed: 1 });
      await expectUnharmed(server);
    });
  }
});

describe("JSON made to break a parser: 400", () => {
  const { api_key, api_secret } = server.ready;
  const headers = { "Content-Type": "application/json", "X-API-Key": api_key, "X-API-Secret": api_secret };
  const order = '"payment_account_id":1,"phone":"0712345678"';
  const BODIES: [what: string, body: string][] = [
    ["30,000 arrays in one another", "[".repeat(30_000) + "]".repeat(30_000)],
    ["10,000 objects in one another", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`],
    ["30,000 brackets that are never closed", "[".repeat(30_000)],
    ["an amount of 60,000 digits", `{${order},"amount":${"9".repeat(60_000)}}`],
    ["an amount with a too large exponent", `{${order},"amount":1e999999}`],
    ["a prototype", `{"__proto__":{"amount":100},${order}}`],
    ["a constructor", '{"constructor":{"prototype":{"amount":1}},"payment_account_id":1}'],
    ["a reference of 60,000 characters", `{${order},"amount":1,"reference":"${"a".repeat(60_000)}"}`],
    ["half a character", `{${order},"amount":1,"reference":"\\ud83d"}`],
  ];
  test.concurrent.each(BODIES)("%s", async (_what, body) => {
    for (const target of ["/v2/stkpush.php", "/_momo/payments", "/_momo/rules", "/_momo/faults", "/_momo/wait"]) {
      await expectSound(server, { method: target.endsWith("faults") ? "PUT" : "POST", target, headers, body }, [400]);
    }
  });
});

test("after all of it nothing is on stderr, and it stops with exit code 0", async () => {
  await expectUnharmed(server);
  expect(await server.stop()).toBe(0);
});
