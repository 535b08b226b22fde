import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The documents that people read, and their parts. */

export const ROOT = join(import.meta.dir, "../..");

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

/** The text without code: code has no links and no headings. */
const proseOf = (text: string): string => text.replaceAll(/^```[\s\S]*?^```/gm, "").replaceAll(/`[^`\n]*`/g, "");

/** The targets of links and pictures. */
export const linksOf = ({ text }: Document): string[] =>
  [...proseOf(text).matchAll(/\]\(([^)\s]+)\)|\b(?:src|srcset|href)="([^"]+)"/g)].map(
    ([, link, attribute]) => link ?? attribute ?? "",
  );

/** The anchors of a document's headings, as GitHub makes them. */
export function anchorsOf({ text }: Document): Set<string> {
  const headings = [...text.replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/^#+ (.*)$/gm)];
  return new Set(headings.map(([, heading = ""]) => anchorOf(heading)));
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");
}
