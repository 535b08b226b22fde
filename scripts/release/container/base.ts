import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Engine } from "./engine.ts";

/** The processors of the image, by their names in containers, with their other names. */
export const PROCESSORS = {
  amd64: { cpu: "x64", loader: "/lib64/ld-linux-x86-64.so.2", libraries: "/lib/x86_64-linux-gnu" },
  arm64: { cpu: "arm64", loader: "/lib/ld-linux-aarch64.so.1", libraries: "/lib/aarch64-linux-gnu" },
} as const;
export type Processor = keyof typeof PROCESSORS;

/** The only libraries of the system that momo needs. */
const LIBRARIES = ["libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0"];

/** Where Debian's packages for cross compilers put the C library of another processor. */
const CROSS_LIBRARIES = { amd64: "/usr/x86_64-linux-gnu/lib", arm64: "/usr/aarch64-linux-gnu/lib" };

/**
 * Makes a base image with only glibc, for machines without access to a registry.
 * @returns the name of the image
 * @throws Error if the glibc of that processor is not installed
 */
export async function makeLocalBase(engine: Engine, processor: Processor): Promise<string> {
  const { cpu, loader, libraries } = PROCESSORS[processor];
  const isOwn = process.arch === cpu;
  const cross = CROSS_LIBRARIES[processor];
  if (!isOwn && !existsSync(cross)) {
    throw new Error(`there is no glibc for ${processor} here: Debian's package libc6-${processor}-cross has it`);
  }
  const root = join(engine.folder, `base-${processor}`);
  const copy = (source: string, target: string) => {
    mkdirSync(dirname(join(root, target)), { recursive: true });
    cpSync(source, join(root, target), { dereference: true });
  };
  copy(isOwn ? loader : join(cross, loader.split("/").at(-1) ?? ""), loader);
  for (const name of LIBRARIES) copy(join(isOwn ? libraries : cross, name), join(libraries, name));
  mkdirSync(join(root, "tmp"));
  chmodSync(join(root, "tmp"), 0o1777);

  const file = join(engine.folder, "Containerfile.base");
  writeFileSync(file, "FROM scratch\nCOPY . /\n");
  const name = `localhost/momo-base:${processor}`;
  const build = ["bud", "--quiet", "--isolation", "chroot", "--timestamp", "0"];
  await engine.buildah(...build, "--platform", `linux/${processor}`, "--file", file, "--tag", name, root);
  return name;
}
