import { later } from "../support/cleanup.ts";

export const isRoot = (): boolean => process.getuid?.() === 0;

/** @returns whether the command succeeded */
export function run(command: readonly string[]): boolean {
  return Bun.spawnSync([...command], { stderr: "ignore" }).success;
}

/** Mounts a small file system in memory on a folder, until the end. @returns whether this user may */
export function mountSmall(folder: string, megabytes = 6): boolean {
  if (process.platform !== "linux" || !isRoot()) return false;
  if (!run(["mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder])) return false;
  const unmount = () => run(["umount", "--lazy", folder]);
  later(unmount);
  process.on("exit", unmount); // if the program is interrupted
  return true;
}
