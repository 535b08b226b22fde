import { test } from "bun:test";

/** File systems with restrictions, in a new namespace: they end with the command that uses them. */

const IN_NAMESPACE = ["unshare", "--map-root-user", "--mount"];

const canMount = Bun.spawnSync([...IN_NAMESPACE, "mount", "-t", "tmpfs", "none", "/mnt"]).success;

/** Defines a test that mounts; if nothing can be mounted, the test says that it was left out. */
export function testWithMounts(name: string, run: () => Promise<void>): void {
  if (canMount) test(name, run);
  else test(`${name}: left out, because nothing can be mounted here`, () => {});
}

/** The command in a shell that first runs these mounts, such as `mount -t tmpfs -o ro none /place`. */
export function afterMounts(mounts: readonly string[], command: string): string[] {
  return [...IN_NAMESPACE, "sh", "-c", [...mounts, command].join(" && ")];
}
