import { afterAll, describe, expect, test } from "bun:test";
import { cleanUp } from "../support/cleanup.ts";
import { serveMomo } from "../support/momo.ts";
import { expectUnharmed } from "./live.ts";
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

test("after all of it nothing is on stderr, and it stops with exit code 0", async () => {
  await expectUnharmed(server);
  expect(await server.stop()).toBe(0);
});
