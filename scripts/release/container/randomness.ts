import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A part of an image, by its digest. */
interface Reference {
  digest: string;
  size: number;
}

/** The random part of what buildah writes. */
interface Configuration {
  container?: unknown;
  container_config?: unknown;
  config: { Hostname?: unknown };
}

/**
 * Removes what is random from the configurations of an image in a folder, as `skopeo copy … dir:FOLDER` writes it, so that the same
 * parts make the same image.
 * @returns the digest of the image
 */
export function removeRandomness(folder: string): string {
  const list = readJson<{ manifests: Reference[] }>(join(folder, "manifest.json"));
  for (const reference of list.manifests) {
    const oldManifest = manifestFile(folder, reference.digest);
    const manifest = readJson<{ config: Reference }>(oldManifest);
    const oldConfiguration = join(folder, hexOf(manifest.config.digest));
    const configuration = readJson<Configuration>(oldConfiguration);
    for (const file of [oldManifest, oldConfiguration]) rmSync(file);

    delete configuration.container;
    delete configuration.container_config;
    delete configuration.config.Hostname;
    const text = JSON.stringify(configuration);
    refer(manifest.config, text);
    writeFileSync(join(folder, hexOf(manifest.config.digest)), text);
    const manifestText = JSON.stringify(manifest);
    refer(reference, manifestText);
    writeFileSync(manifestFile(folder, reference.digest), manifestText);
  }
  const text = JSON.stringify(list);
  writeFileSync(join(folder, "manifest.json"), text);
  return digestOf(text);
}

function refer(reference: Reference, text: string): void {
  reference.digest = digestOf(text);
  reference.size = Buffer.byteLength(text);
}

const digestOf = (text: string) => `sha256:${createHash("sha256").update(text).digest("hex")}`;
const hexOf = (digest: string) => digest.replace("sha256:", "");
const manifestFile = (folder: string, digest: string) => join(folder, `${hexOf(digest)}.manifest.json`);
const readJson = <T>(file: string) => JSON.parse(readFileSync(file, "utf8")) as T;
