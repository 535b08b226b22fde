import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Checksums in the form of `sha256sum`. */

const LINE = /^([0-9a-f]{64}) {2}(\S+)$/;

/** @throws Error that names the first wrong line */
export function parseSums(text: string): Map<string, string> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const [, sum, name] = LINE.exec(line) ?? [];
      if (sum === undefined || name === undefined) throw new Error(`this is no line of SHA256SUMS: ${line}`);
      return [name, sum];
    }),
  );
}

export async function sumOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest("hex");
}

/** @returns the names of the files in a folder that are missing or have a wrong checksum */
export async function wrongFiles(folder: string): Promise<string[]> {
  const wrong: string[] = [];
  for (const [name, sum] of parseSums(readFileSync(join(folder, "SHA256SUMS"), "utf8"))) {
    const file = join(folder, name);
    if (!existsSync(file) || (await sumOf(file)) !== sum) wrong.push(name);
  }
  return wrong;
}
