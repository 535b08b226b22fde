import { afterAll, test } from "bun:test";
import { join } from "node:path";
import { cleanUp } from "../support/cleanup.ts";
import { expectShown, type Mistake } from "./expect-shown.ts";
import { startIn } from "./javascript.ts";
import { JAVASCRIPT_MISTAKES } from "./javascript-mistakes.ts";
import { MISTAKES } from "./mistakes.ts";

const SOURCE = join(import.meta.dir, "../../clients/client.mjs");

afterAll(cleanUp);

const mistakes: readonly Mistake[] = [...MISTAKES, ...JAVASCRIPT_MISTAKES];

test.each(mistakes.map((mistake) => [mistake.name, mistake] as const))(
  "a client in JavaScript that %s is found",
  (_, mistake) => expectShown(mistake, mistake.mjs, SOURCE, async (file) => startIn(await import(file))),
  600_000,
);
