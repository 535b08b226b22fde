import { closeSync, fsyncSync, openSync, statSync } from "node:fs";

/** Flushes a file, or the names in a folder, so that they survive a loss of power. Windows flushes no folder. */
export function flushToDisk(path: string): void {
  const isFolder = statSync(path).isDirectory();
  if (isFolder && process.platform === "win32") return;
  const descriptor = openSync(path, isFolder ? "r" : "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
