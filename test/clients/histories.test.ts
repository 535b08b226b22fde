import { test } from "bun:test";
import { join } from "node:path";
import { expectRight } from "./expect-right.ts";
import { startIn } from "./javascript.ts";

const SOURCE = join(import.meta.dir, "../../clients/client.mjs");

test("the client in JavaScript is right in every drawn history", async () => {
  await expectRight(startIn(await import(SOURCE)), "in JavaScript", 20);
}, 3_600_000);
