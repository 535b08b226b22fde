import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { serveMomo } from "../support/momo.ts";
import { expectSound, expectUnharmed } from "./live.ts";
import { REQUESTS } from "./requests.ts";

afterAll(cleanUp);

const server = await serveMomo(["--prompt-timeout", "1s"]);

describe("body of every answer: JSON with `success` and `message`, in a status that the operation documents", () => {
  for (const [name, property] of Object.entries(REQUESTS)) {
    test(name, async () => {
      await property(server, { numRuns: 25, seed: 1 });
      await expectUnharmed(server);
    });
  }
});

describe("JSON made to break a parser: 400", () => {
  const headers = {
    "Content-Type": "application/json",
    "X-API-Key": server.ready.api_key,
    "X-API-Secret": server.ready.api_secret,
  };
  const BODIES: Record<string, string> = {
    "30,000 arrays in one another": "[".repeat(30_000) + "]".repeat(30_000),
    "10,000 objects in one another": `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
    "30,000 brackets that nobody closes": "[".repeat(30_000),
    "an amount of 60,000 digits": `{"payment_account_id":1,"phone":"0712345678","amount":${"9".repeat(60_000)}}`,
    "an amount with an exponent beyond all bounds": '{"payment_account_id":1,"phone":"0712345678","amount":1e999999}',
    "a prototype": '{"__proto__":{"amount":100},"payment_account_id":1,"phone":"0712345678"}',
    "a member that says what an object is": '{"constructor":{"prototype":{"amount":1}},"payment_account_id":1}',
    "60,000 characters for a reference": `{"payment_account_id":1,"phone":"0712345678","amount":1,"reference":"${"a".repeat(60_000)}"}`,
    "half a character": '{"payment_account_id":1,"phone":"0712345678","amount":1,"reference":"\\ud83d"}',
  };
  for (const [name, body] of Object.entries(BODIES)) {
    for (const target of ["/v2/stkpush.php", "/_momo/payments", "/_momo/rules", "/_momo/faults", "/_momo/wait"]) {
      test.concurrent(`${name} at ${target}`, async () => {
        await expectSound(server, { method: target.endsWith("faults") ? "PUT" : "POST", target, headers, body }, [400]);
      });
    }
  }
});

test("and after all of it nothing was told on stderr, and it stops with exit code 0", async () => {
  await expectUnharmed(server);
  expect(await server.stop()).toBe(0);
});
