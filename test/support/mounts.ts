import { test } from "bun:test";
import { named } from "./needs.ts";

/** File systems with restrictions, in a new namespace: they end with the command that uses them. */

const isRoot = process.getuid?.() === 0;
const IN_NAMESPACE = ["unshare", ...(isRoot ? [] : ["--map-root-user"]), "--mount"];

const canMount = Bun.spawnSync([...IN_NAMESPACE, "mount", "-t", "tmpfs", "none", "/mnt"]).success;

/** Defines a test that mounts. */
export function testWithMounts(name: string, run: () => Promise<void>): void {
  test.skipIf(!canMount)(named(name, canMount ? "" : "nothing can be mounted here"), run);
}

/** The command in a shell that first runs these mounts, such as `mount -t tmpfs -o ro none /place`. */
export function afterMounts(mounts: readonly string[], command: string): string[] {
  return [...IN_NAMESPACE, "sh", "-c", [...mounts, command].join(" && ")];
}
