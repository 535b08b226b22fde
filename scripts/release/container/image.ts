import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, cpSync, linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { homeOf } from "../channels.ts";
import { run } from "../run.ts";
import type { Engine } from "./engine.ts";

const CONTAINERFILE = join(import.meta.dir, "Containerfile");

/** The processors of the image, by their names in containers, with their other names. */
export const PROCESSORS = {
  amd64: { cpu: "x64", loader: "/lib64/ld-linux-x86-64.so.2", libraries: "/lib/x86_64-linux-gnu" },
  arm64: { cpu: "arm64", loader: "/lib/ld-linux-aarch64.so.1", libraries: "/lib/aarch64-linux-gnu" },
} as const;
export type Processor = keyof typeof PROCESSORS;

/** The only libraries of the system that momo needs. */
const LIBRARIES = ["libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0"];

export interface ImageParts {
  /** The executable for each processor of the image. */
  readonly executables: Partial<Record<Processor, string>>;
  /** The name of the image below momo. */
  readonly base: (processor: Processor) => string | Promise<string>;
  readonly texts: readonly string[];
}

const NAME = "localhost/momo";

/**
 * Builds the image in the engine's store.
 * @returns its name there
 */
export async function buildImage(engine: Engine, parts: ImageParts): Promise<string> {
  const context = join(engine.folder, "context");
  rmSync(context, { recursive: true, force: true });
  for (const name of ["texts", "volume/data"]) mkdirSync(join(context, name), { recursive: true });
  for (const text of parts.texts) copyFileSync(text, join(context, "texts", basename(text)));
  chmodSync(join(context, "volume/data"), 0o1777);

  for (const processor of Object.keys(PROCESSORS) as Processor[]) {
    const executable = parts.executables[processor];
    if (executable === undefined) continue;
    mkdirSync(join(context, processor));
    place(executable, join(context, processor, "momo"));
    await engine.buildah(
      ...["bud", "--quiet", "--isolation", "chroot", "--format", "docker", "--timestamp", "0"],
      ...["--platform", `linux/${processor}`, "--build-arg", `BASE=${await parts.base(processor)}`],
      ...Object.entries(labels()).flatMap(([key, value]) => ["--label", `org.opencontainers.image.${key}=${value}`]),
      ...["--manifest", NAME, "--file", CONTAINERFILE, context],
    );
  }
  return NAME;
}

/**
 * Writes the image into a folder, in the form of `skopeo copy dir:FOLDER`: exactly the bytes that a registry gets.
 * @returns its digest
 */
export async function saveImage(engine: Engine, out: string): Promise<string> {
  const plain = join(engine.folder, "plain");
  // Docker's format, because the OCI format has no health check.
  await engine.buildah("manifest", "push", "--quiet", "--all", "--format", "v2s2", NAME, `dir:${plain}`);
  rmSync(out, { recursive: true, force: true });
  await run(["skopeo", "copy", "--quiet", "--all", "--dest-compress", `dir:${plain}`, `dir:${out}`]);
  rmSync(plain, { recursive: true, force: true });
  return `sha256:${createHash("sha256")
    .update(readFileSync(join(out, "manifest.json")))
    .digest("hex")}`;
}

/**
 * Makes a base image with only the glibc of this machine, for machines without access to a registry.
 * @returns the name of the image
 */
export async function makeLocalBase(engine: Engine, processor: Processor): Promise<string> {
  const { loader, libraries } = PROCESSORS[processor];
  const root = join(engine.folder, "base");
  for (const file of [loader, ...LIBRARIES.map((name) => join(libraries, name))]) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(file, join(root, file), { dereference: true });
  }
  mkdirSync(join(root, "tmp"));
  chmodSync(join(root, "tmp"), 0o1777);
  const file = join(engine.folder, "Containerfile.base");
  writeFileSync(file, "FROM scratch\nCOPY . /\n");
  const name = "localhost/momo-base";
  await engine.buildah("bud", "--quiet", "--isolation", "chroot", "--file", file, "--tag", name, root);
  return name;
}

/** The base image in the Containerfile. @throws Error if it has no digest, which would allow any image */
export function requirePinnedBase(): string {
  const base = /^ARG BASE=(\S+@sha256:[0-9a-f]{64})$/m.exec(readFileSync(CONTAINERFILE, "utf8"))?.[1];
  if (base !== undefined) return base;
  throw new Error(
    "the base in scripts/release/container/Containerfile has no digest: write it as NAME@sha256:…; --local-base takes the glibc of this machine",
  );
}

function labels(): Record<string, string> {
  const { description, license, version } = manifest;
  const source = homeOf(manifest);
  return { title: "momo", description, licenses: license, version, ...(source !== null && { source }) };
}

/** Makes a link if possible, because an executable has a hundred megabytes. */
function place(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch {
    copyFileSync(source, target);
  }
  chmodSync(target, 0o755);
}
