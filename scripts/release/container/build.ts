import { existsSync } from "node:fs";
import { join } from "node:path";
import { orSayWhy } from "../run.ts";
import { missingPrograms, openEngine } from "./engine.ts";
import { buildImage, makeLocalBase, PROCESSORS, type Processor, requirePinnedBase, saveImage } from "./image.ts";

/**
 * Makes dist/release/image, after `npm run release:build`: `bun scripts/release/container/build.ts [--local-base]`. With
 * --local-base the image is for this machine and has its C library; without it, it has the base image of the Containerfile.
 */

const OUT = join(import.meta.dir, "../../../dist/release");

await orSayWhy(async () => {
  const isLocal = process.argv.includes("--local-base");
  const missing = missingPrograms();
  if (missing.length > 0) throw new Error(`missing: ${missing.join(", ")}; Debian has a package for each`);
  const pinned = isLocal ? "" : requirePinnedBase();
  const executables: Partial<Record<Processor, string>> = {};
  for (const processor of Object.keys(PROCESSORS) as Processor[]) {
    if (isLocal && PROCESSORS[processor].cpu !== process.arch) continue;
    const file = join(OUT, `linux-${PROCESSORS[processor].cpu}`, "momo");
    if (!existsSync(file)) throw new Error(`there is no ${file}: npm run release:build makes it`);
    executables[processor] = file;
  }
  const texts = [join(OUT, "host/THIRD-PARTY-NOTICES"), join(OUT, "../../LICENSE")];
  const engine = openEngine();
  try {
    const base = isLocal ? (processor: Processor) => makeLocalBase(engine, processor) : () => pinned;
    await buildImage(engine, { executables, base, texts });
    process.stdout.write(`built dist/release/image, ${await saveImage(engine, join(OUT, "image"))}\n`);
  } finally {
    await engine.close();
  }
});
