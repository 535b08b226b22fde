import type { Document } from "../support/documents.ts";

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
