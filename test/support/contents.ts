import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Each thing in a folder, at any depth: its kind and mode, and its bytes or its target. Two of these are equal if nothing was changed. */
export function contentsOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  return Object.fromEntries(names.map((name) => [name, describe(join(folder, name))]));
}

function describe(path: string): string {
  const stats = lstatSync(path);
  const mode = stats.mode.toString(8);
  if (stats.isSymbolicLink()) return `${mode} ${readlinkSync(path)}`;
  return stats.isFile() ? `${mode} ${readFileSync(path, "base64")}` : mode;
}
