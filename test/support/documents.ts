import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./binary.ts";

/** The documents that people read, and their parts. */

export interface Document {
  /** Relative to the project. */
  readonly path: string;
  readonly text: string;
}

export const readDocument = (path: string): Document => ({ path, text: readFileSync(join(ROOT, path), "utf8") });

/** README and all of docs/. */
export const USER_DOCUMENTS: readonly Document[] = [
  "README.md",
  ...[...new Bun.Glob("docs/*.md").scanSync({ cwd: ROOT })].sort(),
].map(readDocument);

/** The blocks of a document in one language. */
export const blocksOf = ({ text }: Document, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block = ""]) => block);
