import { afterAll, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { allGroups } from "../../cli/command-table.ts";
import { TOOLS } from "../../cli/mcp/tools.ts";
import { EXIT_CODES } from "../../cli/terminal/failure.ts";
import { name as NAME } from "../../package.json";
import { HOW_TO_LOOK } from "../../sandbox/audit/words.ts";
import { FAULT_MEMBERS } from "../../sandbox/control/shapes/faults.ts";
import { FAULT_NAMES } from "../../sandbox/faults/kinds.ts";
import { outcomesView } from "../../sandbox/network/outcomes.ts";
import { FILTER_NAMES, filterOf } from "../../src/domain/filters.ts";
import { RESULT_CODES } from "../../src/domain/outcome.ts";
import { checkStatusSchema, listTransactionsSchema, startPaymentSchema } from "../../src/http/input.ts";
import { ROOT } from "../support/binary.ts";
import { cleanUp } from "../support/cleanup.ts";
import { blocksOf, readDocument, USER_DOCUMENTS } from "../support/documents.ts";
import { runMomo } from "../support/momo.ts";
import { openScene } from "../support/scene.ts";
import { anchorsOf, linksOf } from "./links.ts";

afterAll(cleanUp);

/** The documents name all that the program has, and their links lead somewhere. */

const contributing = [...new Bun.Glob("docs/contributing/*.md").scanSync({ cwd: ROOT })].map(readDocument);
const forUsers = [...USER_DOCUMENTS, ...["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"].map(readDocument)];
const documents = [...forUsers, ...contributing];

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

/** A file by its ending, or anything with a slash inside. */
const PATH = /(?<=`)(?:[\w.-]+(?:\/[\w.-]+)+|[\w.-]+\.(?:ts|txt|sql|md|json|yml))(?=\/?`)/g;

/** Where the end of a path is enough. */
const ROOMS = ["", "src/", "sandbox/", "cli/", "test/s*/", ".github/"];

/** Whether it is the path of a file or a folder, or the end of one. NAME and NNNN_name stand for any name. */
function isPath(path: string): boolean {
  if (existsSync(join(ROOT, path))) return true;
  const name = path.replace(/NAME|NNNN_name/, "*");
  return ROOMS.some((room) => {
    const pattern = room === "" ? name : `${room}**/${name}`;
    return !new Bun.Glob(pattern).scanSync({ cwd: ROOT, onlyFiles: false, dot: true }).next().done;
  });
}

test("every path that the documents for contributors name exists", () => {
  const named = [readDocument("CONTRIBUTING.md"), ...contributing].flatMap(({ path, text }) =>
    [...text.matchAll(PATH)].map(([name]) => [path, name] as const),
  );
  expect(named.length).toBeGreaterThan(90);
  expect(named.filter(([, name]) => !isPath(name))).toEqual([]);
});

/** The files that a document links. */
const linkedBy = (path: string) => linksOf(readDocument(path)).map((link) => link.split("#")[0]);

test("the README links every document for users, CONTRIBUTING.md those for contributors; it has 150 lines at most, without the rows of tables", () => {
  const readme = readDocument("README.md");
  const links = linkedBy("README.md");
  for (const { path } of forUsers) if (path !== "README.md") expect(links).toContain(path);
  for (const { path } of contributing) expect(linkedBy("CONTRIBUTING.md")).toContain(path);
  expect(links).toContain("docs/llms.txt");
  const lines = readme.text.trimEnd().split("\n");
  expect(lines.filter((line) => !line.trimStart().startsWith("|")).length).toBeLessThanOrEqual(150);
});

/** `import … from "NAME/testing"`, `npx NAME`, `npm install --save-dev NAME`, `NAME-linux-x64-0.1.0.tgz`. */
const NAMES_OF_PACKAGE =
  /(?<=["`])[\w@.-]+(?=\/testing["`])|(?<=npx |--save-dev )[\w@-]+|[\w-]+(?=-linux-x64-\d|\/linux-x64`)/g;

test("the documents name the npm package as package.json does", () => {
  const paths = ["*.md", "docs/**", "npm/*.md"].flatMap((pattern) => [
    ...new Bun.Glob(pattern).scanSync({ cwd: ROOT }),
  ]);
  const named = paths.flatMap((path) =>
    [...readFileSync(join(ROOT, path), "utf8").matchAll(NAMES_OF_PACKAGE)].map(([name]) => `${path}: ${name}`),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter((line) => !line.endsWith(`: ${NAME}`))).toEqual([]);
});

test("the documents have 18,000 words at most, as wc counts them, without SECURITY.md", () => {
  const counted = [...documents, ...["npm/README.md", "docs/llms.txt"].map(readDocument)];
  const words = counted.map(({ path, text }) => (path === "SECURITY.md" ? 0 : text.trim().split(/\s+/).length));
  expect(words.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(18_000);
});

test("momo help PAGE prints each document, and each file that one links, as it is", async () => {
  const linked = USER_DOCUMENTS.flatMap(({ path }) => linksOf(readDocument(path)).map((link) => [path, link] as const))
    .map(([path, link]) => normalize(join(dirname(path), link.split("#")[0] ?? "")))
    .filter((path) => /^docs\/(?:examples|monitoring)\/.*\.\w+$/.test(path));
  const paths = new Set([...USER_DOCUMENTS.map(({ path }) => path), "SECURITY.md", "docs/llms.txt", ...linked]);
  expect(new Set(linked).size).toBeGreaterThan(7);
  for (const path of paths) {
    const page = basename(path, ".md").replace(/^[A-Z]+$/, (name) => name.toLowerCase());
    const { stdout, exitCode } = await runMomo(["help", page]);
    expect(exitCode).toBe(0);
    // Where a command has this name, its help comes first.
    expect(stdout.endsWith(readDocument(path).text), page).toBe(true);
  }
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

test.each<[path: string, what: string, texts: readonly string[]]>([
  [
    "README.md",
    "the outcomes",
    outcomesView().map(
      ({ name, status, code, phone, after }) =>
        `| \`${name}\` | ${status ?? "-"} | ${code ?? "-"} | ${phone} | ${after ?? "-"} |`,
    ),
  ],
  [
    "docs/steering.md",
    "the faults with their members",
    FAULT_NAMES.map((kind) => {
      const members = FAULT_MEMBERS.filter((member) => member.kind === kind).map(({ name }) => `\`${name}\``);
      return `| \`${kind}\` | ${members.join(", ") || "-"} |`;
    }),
  ],
  [
    "docs/steering.md",
    "the result codes of the network, but that of success",
    [`A code that the network has (${Object.keys(RESULT_CODES).slice(1).join(", ")})`],
  ],
  ["docs/cli.md", "the exit codes", Object.values(EXIT_CODES).map(([code, meaning]) => `| ${code} | ${meaning} |`)],
  ["docs/api.md", "how to look for a payment, as the findings say it", [HOW_TO_LOOK]],
  [
    "docs/llms.txt",
    "each result code with its meaning, in their order",
    [
      `${Object.entries(RESULT_CODES)
        .map(([code, { short }]) => `${code} ${short}`)
        .join("; ")}.`,
    ],
  ],
  ["docs/llms.txt", "the kinds of faults", FAULT_NAMES.map((kind) => `"${kind}"`)],
  ["docs/llms.txt", "how to look for a payment, as the findings say it", [HOW_TO_LOOK]],
])("%s has %s", (path, _what, texts) => {
  const document = readDocument(path).text.replaceAll(/\s+/g, " ");
  expect(texts.filter((text) => !document.includes(text))).toEqual([]);
});

test("docs/llms.txt names each outcome, in their order", () => {
  const { text } = readDocument("docs/llms.txt");
  const [, list = ""] = /^Outcomes \(GET \/outcomes has all of them\): ([^.]*)\./m.exec(text) ?? [];
  const names = list.replaceAll(/\([^)]*\)/g, "").split(",");
  expect(names.map((name) => name.trim())).toEqual(outcomesView().map(({ name }) => name));
});

test("docs/cli.md names every command", async () => {
  const named = new Set([...readDocument("docs/cli.md").text.matchAll(/`momo (\w+)[ `]/g)].map(([, name]) => name));
  const names = Object.values(await allGroups()).flatMap((commands) => Object.keys(commands));
  expect(names.filter((name) => !named.has(name))).toEqual([]);
});

test("docs/agents.md names every tool, and its actions after it", () => {
  const { text } = readDocument("docs/agents.md");
  const anyTool = new RegExp(`\`(?:${Object.keys(TOOLS).join("|")})\``);
  for (const [tool, { actions }] of Object.entries(TOOLS)) {
    const [, after] = text.split(`\`${tool}\``);
    expect(after, tool).toBeString();
    const names = Object.keys(actions);
    if (names.length > 1) for (const name of names) expect(after?.split(anyTool)[0], tool).toContain(`\`${name}\``);
  }
});

test("the documents name every parameter of the three operations, and momo list has every filter", async () => {
  const schemas = [startPaymentSchema, checkStatusSchema, listTransactionsSchema];
  const guide = readDocument("docs/llms.txt").text;
  for (const name of schemas.flatMap(({ shape }) => Object.keys(shape))) {
    expect(readDocument("docs/api.md").text).toContain(`\`${name}\``);
    expect(guide).toMatch(new RegExp(`\\b${name}\\b`));
  }
  const { stdout } = await runMomo(["help", "list"]);
  for (const name of FILTER_NAMES) expect(stdout).toContain(`  ${filterOf(name).flag} `);
});

test("the right code in docs/audit.md is the client's own, line after line", () => {
  const lines = (text: string) => text.split("\n").map((line) => line.trim());
  const client = lines(readFileSync(join(ROOT, "clients/client.mjs"), "utf8")).join("\n");
  const blocks = blocksOf(readDocument("docs/audit.md"), "js").filter((block) => block.startsWith("// Right"));
  expect(blocks.length).toBeGreaterThan(5);
  for (const block of blocks) expect(client).toContain(lines(block).slice(1).join("\n").trim());
});

test.each([
  ["docs/operations.md", "serve", 12],
  ["docs/operations.md", "replicas", 5],
  ["docs/steering.md", "exec", 8],
])("%s names every option of momo %s", async (path, command, least) => {
  const { stdout } = await runMomo(["help", command]);
  const found = [...stdout.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map(([, name = ""]) => name);
  const options = found.filter((name) => name !== "--help");
  expect(options.length).toBeGreaterThan(least);
  const { text } = readDocument(path);
  for (const option of options) expect(text).toMatch(new RegExp(`\`${option}[ \`]`));
});

test("docs/steering.md names every path of the control API", async () => {
  const scene = await openScene();
  const { message } = (await scene.call("GET", "/nothing")).body;
  await scene.close();
  const paths = [...String(message).matchAll(/\/_momo(\/[^\s,]+)/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(20);
  const { text } = readDocument("docs/steering.md");
  // The document has shorter names for the ids.
  for (const path of paths) {
    expect(text).toMatch(new RegExp(`[ \`](?:/_momo)?${path.replaceAll(/[A-Z_]+/g, "[A-Z_]+")}\``));
  }
});
