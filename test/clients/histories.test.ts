import { expect, test } from "bun:test";
import { join } from "node:path";
import { type ClientModule, live } from "./history.ts";

const SOURCE = join(import.meta.dir, "../../clients/client.mjs");
const SEEDS = Number(process.env.MOMO_TEST_SEEDS ?? 20);

test("the client is right in every drawn history", async () => {
  const client: ClientModule = await import(SOURCE);
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    await live(seed, client).catch((error) => {
      throw new Error(`seed ${seed}: ${error.message}`, { cause: error });
    });
  }
  expect(SEEDS).toBeGreaterThan(0);
}, 3_600_000);
