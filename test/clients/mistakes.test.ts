import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder } from "../support/cleanup.ts";
import { live } from "./history.ts";
import { MISTAKES } from "./mutants.ts";

const SOURCE = readFileSync(join(import.meta.dir, "../../clients/client.mjs"), "utf8");
const MAX_SEEDS = 60;

test.each(Object.entries(MISTAKES))(
  "a client that %s is found",
  async (name, [right, wrong]) => {
    expect(SOURCE).toContain(right);
    const file = join(newFolder(), "client.mjs");
    writeFileSync(file, SOURCE.replace(right, wrong));
    const client = await import(file);
    for (let seed = 1; seed <= MAX_SEEDS; seed += 1) {
      const found = await live(seed, client).then(() => null, String);
      if (process.env.MOMO_TEST_TRACE && found) console.log(name, seed, found.slice(0, 200));
      if (found) return;
    }
    throw new Error(`${MAX_SEEDS} histories do not find it`);
  },
  600_000,
);
