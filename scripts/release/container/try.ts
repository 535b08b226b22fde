import { existsSync } from "node:fs";
import { join } from "node:path";
import { missingPrograms, openEngine } from "./engine.ts";
import { RECIPES } from "./recipes.ts";
import { TRIALS } from "./trials.ts";

/**
 * Tries dist/release/image, and the recipes of the documents with it. It prints one line for each trial with its time, and ends with
 * 1 if one fails. It needs Linux, root, podman, podman-compose and iptables.
 */

const OUT = join(import.meta.dir, "../../../dist/release/image");
const IMAGE = "localhost/momo:tried";

const missing = missingPrograms(["podman-compose", "iptables"]);
if (!existsSync(OUT)) missing.push("dist/release/image (npm run release:image)");
if (missing.length > 0) {
  process.stderr.write(`missing: ${missing.join(", ")}\n`);
  process.exit(1);
}

const engine = openEngine();
try {
  const id = await engine.podman("pull", "--quiet", `dir:${OUT}`);
  await engine.podman("tag", id.trim(), IMAGE);
  for (const [what, trial] of Object.entries({ ...TRIALS, ...RECIPES })) {
    const startedMs = performance.now();
    const seconds = () => ((performance.now() - startedMs) / 1000).toFixed(1);
    try {
      await trial(engine, IMAGE);
      process.stdout.write(`ok    ${what} (${seconds()} s)\n`);
    } catch (error) {
      process.exitCode = 1;
      process.stdout.write(`fails ${what} (${seconds()} s): ${(error as Error).message}\n`);
    }
  }
} finally {
  await engine.close();
}
