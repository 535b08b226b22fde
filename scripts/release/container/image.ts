import { chmodSync, copyFileSync, linkSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { homeOf } from "../repository.ts";
import { run } from "../run.ts";
import { PROCESSORS, type Processor } from "./base.ts";
import type { Engine } from "./engine.ts";
import { removeRandomness } from "./randomness.ts";

const CONTAINERFILE = join(import.meta.dir, "Containerfile");

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
  for (const name of ["texts", "data"]) mkdirSync(join(context, name), { recursive: true });
  for (const text of parts.texts) copyFileSync(text, join(context, "texts", basename(text)));
  // A new volume takes the mode of this folder: only momo's user can read it.
  chmodSync(join(context, "data"), 0o700);

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
  return removeRandomness(out);
}

/** The base image in the Containerfile; null if it has no digest, which would allow any image. */
export function pinnedBase(): string | null {
  const name = /^ARG BASE=(\S+)$/m.exec(readFileSync(CONTAINERFILE, "utf8"))?.[1] ?? "";
  return /@sha256:[0-9a-f]{64}$/.test(name) ? name : null;
}

/** @throws Error that says where the digest belongs */
export function requirePinnedBase(): string {
  const base = pinnedBase();
  if (base === null) {
    throw new Error(
      "the base in scripts/release/container/Containerfile has no digest: write it as NAME@sha256:…; --local-base takes the glibc of this machine",
    );
  }
  return base;
}

function labels(): Record<string, string> {
  const { description, license, version } = manifest;
  const source = homeOf(manifest);
  return {
    title: "momo",
    description,
    licenses: license,
    version,
    ...(source !== null && { source }),
  };
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
