import { afterAll, test } from "bun:test";
import { join } from "node:path";
import { cleanUp } from "../support/cleanup.ts";
import { startIn } from "./javascript.ts";
import { expectShown, MISTAKES } from "./mistakes.ts";

const SOURCE = join(import.meta.dir, "../../clients/client.mjs");

afterAll(cleanUp);

test.each(MISTAKES.map((mistake) => [mistake.name, mistake] as const))(
  "a client in JavaScript that %s is found",
  (_, mistake) => expectShown(mistake, mistake.mjs, SOURCE, async (file) => startIn(await import(file))),
  600_000,
);
