import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { componentsOf, filesOfConsole, noticesOf } from "./components.ts";
import { buildExecutable } from "./executables.ts";
import { orSayWhy } from "./run.ts";
import { TARGETS } from "./targets.ts";

/** Makes what the Dockerfile copies, in dist/image: `bun scripts/release/image.ts amd64` or `arm64`. */

const ROOT = join(import.meta.dir, "../..");

/** Makes the folders of the image. @returns where the executable and the texts belong */
export function makeFolders(root: string): { executable: string; texts: string } {
  const [bin, texts, data] = [join(root, "usr/local/bin"), join(root, "usr/share/doc/momo"), join(root, "data")];
  for (const folder of [bin, texts, data]) mkdirSync(folder, { recursive: true });
  // As in /tmp, any user can make a folder there.
  chmodSync(data, 0o1777);
  return { executable: join(bin, "momo"), texts };
}

if (import.meta.main) {
  await orSayWhy(async () => {
    const cpu = (process.argv[2] ?? "").replace("amd64", "x64");
    const target = TARGETS.find((one) => one.libc === "glibc" && one.cpu === cpu);
    if (target === undefined) throw new Error(`the image is for amd64 and arm64, not for ${JSON.stringify(cpu)}`);
    const root = join(ROOT, "dist/image");
    rmSync(root, { recursive: true, force: true });
    const { executable, texts } = makeFolders(root);
    const files = [...(await filesOfConsole(ROOT)), ...(await buildExecutable(target, executable))];
    const notices = noticesOf(componentsOf(files, ROOT), manifest.devDependencies.bun);
    writeFileSync(join(texts, "THIRD-PARTY-NOTICES"), notices);
    copyFileSync(join(ROOT, "LICENSE"), join(texts, "LICENSE"));
  });
}
