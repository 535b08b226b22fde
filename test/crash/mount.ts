import { later } from "../support/cleanup.ts";

export const isRoot = (): boolean => process.getuid?.() === 0;

/** @returns whether the command succeeded */
export function run(command: readonly string[]): boolean {
  return Bun.spawnSync([...command], { stderr: "ignore" }).success;
}

/** Mounts a file system of 6 MB in memory on a folder, until the end. @returns whether this user may */
export function mountSmall(folder: string): boolean {
  if (process.platform !== "linux" || !isRoot()) return false;
  if (!run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", folder])) return false;
  const unmount = () => run(["umount", "--lazy", folder]);
  later(unmount);
  process.on("exit", unmount); // if the program is interrupted
  return true;
}
