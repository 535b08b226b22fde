import { later } from "../support/cleanup.ts";

export const isRoot = (): boolean => process.getuid?.() === 0;

/** @returns whether the command succeeded */
export function run(command: readonly string[]): boolean {
  return Bun.spawnSync([...command], { stderr: "ignore" }).success;
}

let mountable: boolean | undefined;

/** Why nothing can be mounted here; empty if it can. */
export function whyNoMount(): string {
  if (process.platform !== "linux" || !isRoot()) return "only root on Linux can mount";
  mountable ??= run(["unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]);
  return mountable ? "" : "nothing can be mounted here";
}

/** Mounts a small file system in memory on a folder, until the end. */
export function mountSmall(folder: string, megabytes = 6): void {
  const mount = ["mount", "-t", "tmpfs", "-o", `size=${megabytes}m`, "tmpfs", folder];
  if (!run(mount)) throw new Error(`${mount.join(" ")} has failed`);
  const unmount = () => run(["umount", "--lazy", folder]);
  later(unmount);
  process.on("exit", unmount); // if the program is interrupted
}
