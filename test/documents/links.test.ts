import { expect, test } from "bun:test";
import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { anchorsOf, linksOf, ROOT, readDocument, USER_DOCUMENTS } from "../support/documents.ts";

const documents = [...USER_DOCUMENTS, ...["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(readDocument)];

/** The problem with a link; null if there is none. External addresses are not tried: a test needs no network. */
function problemOf(path: string, link: string): string | null {
  if (/^https:\/\//.test(link)) return null;
  const [file = "", anchor] = link.split("#", 2);
  const target = file === "" ? path : normalize(join(dirname(path), file));
  if (target.startsWith("..") || !existsSync(join(ROOT, target))) return `${path}: ${link}: there is no file ${target}`;
  if (anchor === undefined) return null;
  if (!statSync(join(ROOT, target)).isFile()) return `${path}: ${link}: a folder has no headings`;
  return anchorsOf(readDocument(target)).has(anchor) ? null : `${path}: ${link}: there is no such heading`;
}

test("every link in the documents leads to a file and a heading that exist", () => {
  const links = documents.flatMap((document) => linksOf(document).map((link) => [document.path, link] as const));
  expect(links.length).toBeGreaterThan(30);
  expect(links.map(([path, link]) => problemOf(path, link)).filter((problem) => problem !== null)).toEqual([]);
});

test("the README links every document, and has 150 lines at most", () => {
  const readme = readDocument("README.md");
  const links = linksOf(readme).map((link) => link.split("#")[0]);
  for (const { path } of documents) if (path !== "README.md") expect(links).toContain(path);
  expect(links).toContain("docs/llms.txt");
  expect(readme.text.trimEnd().split("\n").length).toBeLessThanOrEqual(150);
});

test("the moving pictures are small, and load nothing", () => {
  const pictures = [...new Bun.Glob("docs/*.svg").scanSync({ cwd: ROOT })].map(readDocument);
  expect(pictures.length).toBeGreaterThan(3);
  expect(pictures.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(500_000);
  for (const { text } of pictures) {
    expect(text.replace('xmlns="http://www.w3.org/2000/svg"', "")).not.toMatch(/https?:\/\/(?!127\.0\.0\.1)|<script/);
  }
});

test("every section of the specification that the code cites is a heading of docs/api.md", async () => {
  const headings = new Set(
    [...readDocument("docs/api.md").text.matchAll(/^#+ §([0-9.]+) /gm)].map(([, number]) => number),
  );
  expect([1, 2, 3, 4, 5, 6, 7, 8, 9].filter((number) => !headings.has(String(number)))).toEqual([]);
  const missing: string[] = [];
  let cited = 0;
  for (const path of new Bun.Glob("{src,sandbox,cli,test,bench,docs}/**/*.{ts,tsx,sql,md}").scanSync({ cwd: ROOT })) {
    if (path.includes("node_modules")) continue;
    const text = await Bun.file(join(ROOT, path)).text();
    for (const [, number] of text.matchAll(/§([0-9]+(?:\.[0-9]+)?)/g)) {
      cited += 1;
      if (!headings.has(number)) missing.push(`${path}: §${number}`);
    }
  }
  expect(cited).toBeGreaterThan(80);
  expect(missing).toEqual([]);
});
