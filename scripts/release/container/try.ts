import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Checks, orSayWhy, report } from "../run.ts";
import { missingPrograms, openEngine } from "./engine.ts";
import { RECIPES } from "./recipes.ts";
import { TRIALS } from "./trials.ts";

/** Tries dist/release/image, and the recipes of the documents with it. It needs Linux, root, podman, podman-compose and iptables. */

const OUT = join(import.meta.dir, "../../../dist/release/image");
const IMAGE = "localhost/momo:tried";

await orSayWhy(async () => {
  const missing = missingPrograms(["podman-compose", "iptables"]);
  if (!existsSync(OUT)) missing.push("dist/release/image (npm run release:image)");
  if (missing.length > 0) throw new Error(`missing: ${missing.join(", ")}`);
  const engine = openEngine();
  try {
    const id = await engine.podman("pull", "--quiet", `dir:${OUT}`);
    await engine.podman("tag", id.trim(), IMAGE);
    const trials = Object.entries({ ...TRIALS, ...RECIPES });
    await report(Object.fromEntries(trials.map(([what, trial]) => [what, () => trial(engine, IMAGE)])) as Checks);
  } finally {
    await engine.close();
  }
});
