import type { Io } from "../io.ts";
import { cannotRead, isForeign, readTextFile, statsOfTarget } from "./files.ts";

/** A file with a secret that an option names. */

/** @throws Failure `usage` if it cannot be read */
export function readSecretFile(io: Io, option: string, file: string, secret: "token" | "password"): string {
  try {
    const text = readTextFile(io.resolvePath(file));
    warnOfReaders(io, file, secret);
    return text;
  } catch (error) {
    throw cannotRead(`${option} ${file}`, error, "usage");
  }
}

/** Warns if others can read it. A pipe is exempt: it can be read only once. */
function warnOfReaders(io: Io, file: string, secret: string): void {
  const stats = process.platform === "win32" ? null : statsOfTarget(io.resolvePath(file));
  if (!stats?.isFile()) return;
  if ((stats.mode & 0o044) !== 0) io.tell(`momo: others can read the ${secret} in ${file}; chmod 600 it`);
  else if (isForeign(stats))
    io.tell(`momo: the ${secret} in ${file} belongs to another user (uid ${stats.uid}), who can read it`);
}
