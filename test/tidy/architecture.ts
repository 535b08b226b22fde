import { posix } from "node:path";
import { lineOf, withoutComments, withoutStrings } from "./source-text.ts";

/** The architecture as data: what each folder may import, and what only one file may do. tidy.test.ts compares it with the code. */

interface Place {
  /** A folder without the places inside it, or one file. The first place that fits a file is the file's. */
  readonly path: string;
  /** Places (with a slash at the end), single files of other places, and packages with all that is below them. */
  readonly mayImport: readonly string[];
  /** Only with `import type` or `export type`. */
  readonly mayImportTypes?: readonly string[];
  /** Only with `import()`. */
  readonly mayLoad?: readonly string[];
}

const ASSERT = "node:assert/strict";
const SIMULATED = ["sandbox/", "sandbox/faults/", "sandbox/audit/", "sandbox/network/", "sandbox/webhooks/"];
const CONTROL = ["sandbox/control/", "sandbox/control/rows/", "sandbox/control/shapes/", "sandbox/console/"];
const HTTP_FILES = ["answers", "input", "parse-input", "description", "paths", "profile", "reply", "request", "view"];
const SHARED_HTTP = HTTP_FILES.map((file) => `src/http/${file}.ts`);
const ENGINES = ["src/store/sqlite/sqlite.ts", "src/store/postgres/postgres.ts"];
const CLI = ["terminal", "files", "serving", "intercept", "client", "mcp", "commands"].map((name) => `cli/${name}/`);
const CLI_PACKAGES = [
  "@clack/prompts",
  "@peculiar/asn1-schema",
  "@peculiar/asn1-x509",
  "commander",
  "eventsource-parser",
];

const PLACES: readonly Place[] = [
  { path: "src/system.ts", mayImport: ["src/domain/"] },
  { path: "src/domain/", mayImport: ["src/domain/", ASSERT] },
  {
    path: "src/store/sqlite/",
    mayImport: [
      ...["src/store/sqlite/", "src/store/", "src/domain/"],
      ...["bun:sqlite", "drizzle-orm", ASSERT, "node:fs", "node:path"],
    ],
  },
  {
    path: "src/store/postgres/",
    mayImport: ["src/store/postgres/", "src/store/", "src/domain/", "bun", "drizzle-orm"],
  },
  { path: "src/store/", mayImport: ["src/store/", "src/domain/", "drizzle-orm", ASSERT, "node:fs", "node:path"] },
  { path: "src/service/", mayImport: ["src/service/", "src/store/", "src/domain/"] },
  { path: "src/http/", mayImport: ["src/http/", "src/service/", "src/domain/", "bun", "leven", "zod"] },
  {
    // It runs in a browser, and knows only the control API of the server.
    path: "sandbox/console/browser/",
    mayImport: [
      ...["sandbox/console/browser/", "sandbox/curl.ts", "sandbox/faults/"],
      ...["sandbox/loopback.ts", "sandbox/network/limit.ts", "sandbox/network/reason.ts"],
      "sandbox/network/rule-match.ts",
      ...[
        "counted",
        "duration",
        "filters",
        "outcome",
        "read-or-null",
        "phone",
        "timestamp",
        "transaction",
        "visible",
      ].map((file) => `src/domain/${file}.ts`),
      ...["@preact/signals", "eventsource-parser", "preact"],
    ],
    mayImportTypes: ["sandbox/audit/shape.ts", "sandbox/control/shapes/", "src/http/answers.ts"],
  },
  {
    // The page in the browser imports its types, so it must not need what only a server has.
    path: "sandbox/control/shapes/",
    mayImport: [
      ...["sandbox/control/shapes/", ...SIMULATED, "src/domain/"],
      ...["src/http/answers.ts", "src/http/parse-input.ts", "src/http/paths.ts", "zod"],
    ],
  },
  {
    // Every command loads the rows: a call's schemas, and what carries it out, load when it is sent.
    path: "sandbox/control/rows/",
    mayImport: ["sandbox/control/rows/", "sandbox/faults/", "sandbox/network/", "sandbox/webhooks/", "src/domain/"],
    mayImportTypes: ["sandbox/control/", "sandbox/control/shapes/"],
    mayLoad: ["sandbox/control/"],
  },
  ...["sandbox/control/", "sandbox/console/"].map((path) => ({
    path,
    mayImport: [...SIMULATED, ...CONTROL, "src/service/", "src/domain/", ...SHARED_HTTP, "zod"],
  })),
  {
    path: "sandbox/audit/",
    mayImport: ["sandbox/audit/", "src/domain/"],
    mayImportTypes: ["sandbox/request-log.ts"],
  },
  {
    path: "sandbox/check/",
    mayImport: [
      ...["sandbox/check/", "sandbox/audit/", "sandbox/curl.ts", "src/domain/"],
      ...[...SHARED_HTTP, "node:util", "zod"],
    ],
  },
  ...["sandbox/webhooks/", "sandbox/network/"].map((path) => ({
    path,
    mayImport: [path, "sandbox/loopback.ts", "sandbox/numbered-list.ts", "sandbox/network/", "src/domain/", ASSERT],
    mayImportTypes: ["sandbox/control/shapes/"],
  })),
  {
    path: "sandbox/faults/",
    mayImport: ["sandbox/faults/", "sandbox/numbered-list.ts", "src/domain/"],
    mayImportTypes: ["sandbox/control/shapes/", "src/http/reply.ts", "zod"],
  },
  {
    path: "sandbox/",
    mayImport: ["sandbox/", "sandbox/network/", "src/domain/", ASSERT],
    mayImportTypes: ["sandbox/control/shapes/", "sandbox/faults/"],
  },
  {
    path: "npm/records.ts",
    mayImport: [],
    mayImportTypes: [
      ...["sandbox/control/", "sandbox/control/shapes/", "sandbox/network/"],
      "src/domain/",
      "src/http/answers.ts",
    ],
  },
  { path: "docs/", mayImport: [] },
  { path: "npm/", mayImport: ["npm/", "npm/records.ts", "node:"] },
  {
    path: "cli/mcp/",
    mayImport: [
      ...["cli/", ...CLI, "sandbox/control/", "sandbox/control/rows/", "sandbox/console/browser/logic/snippets.ts"],
      ...["sandbox/network/outcomes.ts", "src/http/", "src/domain/", "docs/"],
      ...["src/system.ts", "node:util", "node:stream", "zod", "@modelcontextprotocol/server", "commander"],
    ],
  },
  // Each folder of cli imports those before it; the files beside the folders import all, and all import them.
  ...[...CLI, "cli/"].map((path, index) => ({
    path,
    mayImport: [
      ...[...CLI.slice(0, index + 1), "cli/", ...SIMULATED, ...CONTROL, "sandbox/check/"],
      ...["clients/client.mjs", "clients/client.php", "clients/client.py", "package.json"],
      ...["README.md", "SECURITY.md", "docs/"],
      ...["src/system.ts", "src/domain/", "src/store/", ...ENGINES, "src/service/", "src/http/"],
      ...[...CLI_PACKAGES, "bun:ffi", "node:"],
    ],
  })),
];

/** What only one file or folder may do, and what the others do instead. In the browser, one file may do all of it. */
const ONLY_HERE: readonly {
  readonly banned: RegExp;
  readonly home: string | readonly string[] | null;
  readonly instead: string;
}[] = [
  {
    banned:
      /\bDate\.now\b|\bnew Date\(\s*\)|\bnew Date\b(?!\s*\()|(?<!new )\bDate\(\s*\)|\bperformance\.now\b|\bprocess\.hrtime\b|\bBun\.nanoseconds\b/g,
    home: "src/system.ts",
    instead: "take a Clock as an argument",
  },
  {
    banned: /\bMath\.random\b|\b(?:getRandomValues|randomBytes|randomInt|randomUUID|randomUUIDv7)\b/g,
    home: "src/system.ts",
    instead: "take a Random as an argument",
  },
  {
    banned: /\b(?:setTimeout|setInterval)\b|\bBun\.sleep(?:Sync)?\b/g,
    home: "src/system.ts",
    instead: "take a Clock as an argument, or sleep() of src/system.ts",
  },
  { banned: /\bsetImmediate\b/g, home: "src/store/", instead: "write through the commit queue" },
  {
    banned: /\bprocess\.env\b|\bBun\.env\b|\bimport\.meta\.env\b/g,
    home: "cli/own-process.ts",
    instead: "take an Environment as an argument, or an option",
  },
  {
    banned: /\bconsole\s*\.\s*\w+/g,
    home: null,
    instead: "in cli, take an Output as an argument; elsewhere, give it to reportFault",
  },
  {
    banned: /\bprocess\.(?:stdin|stdout|stderr)\b|\bBun\.(?:stdin|stdout|stderr)\b/g,
    home: [
      ...["ask", "data", "streams"].map((name) => `cli/terminal/${name}.ts`),
      ...["exec", "import", "phone", "serve"].map((name) => `cli/commands/${name}.ts`),
      "cli/mcp/server.ts",
    ],
    instead: "return it, or take an Output as an argument",
  },
  {
    // Tests run commands in their own process.
    banned: /\bprocess\.(?:exitCode|umask|argv|cwd|chdir)\b/g,
    home: ["cli/own-process.ts", "cli/main.ts", "cli/commands/exec.ts"],
    instead: "take an Io as an argument",
  },
];

const IN_BROWSER = { folder: "sandbox/console/browser/", home: "sandbox/console/browser/system.ts" };

const VAGUE_NAME = /(?:^|\/)(?:utils?|helpers?|common|types|index|misc)(?:\.\w+)?(?=\/|$)/;

/** What a test opens with the first, it closes with the second. */
const OPENS = /\b(?:runMomo|runToEnd|startMomo|serveMomo|newFolder|newProgramFolder)\(/;
const CLOSES = /\bafter(?:All|Each)\(cleanUp\)|\bcleanUp\(\)/;

/** How many lines a file may have. */
const MOST_LINES = 300;

/** The broken rules of one file, each with what to do instead. `path` is relative to the project, with forward slashes. */
export function violations(path: string, text: string): string[] {
  const isProduct = /^(?:src|sandbox|cli)\/.*\.tsx?$/.test(path);
  const found = isProduct ? [...importViolations(path, text), ...bannedIn(path, text)] : [];
  // It runs in other runtimes, and has its own environment and timers.
  if (path.startsWith("npm/")) found.push(...importViolations(path, text));
  if (VAGUE_NAME.test(path)) found.push(`${path}: a name that fits anything → name it after the one thing it is for`);
  if (path.endsWith(".test.ts") && OPENS.test(withoutStrings(text)) && !CLOSES.test(text))
    found.push(`${path}: what it opens stays open → afterAll(cleanUp)`);
  const lines = text.replace(/\n$/, "").split("\n").length;
  if (lines > MOST_LINES) found.push(`${path}: ${lines} lines → find the second purpose, and give it a file`);
  return found;
}

const contains = (place: string, path: string) => path === place || (place.endsWith("/") && path.startsWith(place));
const placeOf = (file: string) => PLACES.find(({ path }) => contains(path, file));

/** Finds imports in the text, because a transpiler drops the imports of types. */
const IMPORTS = [
  /\b(?:import|export)\s+[\w$*{}\s,]+?\s*\bfrom\s*["']([^"']+)["']/g,
  /(?<!["'])\bimport\s*["']([^"']+)["']/g,
  /\b(?:import|require)\(\s*["'`]([^"'`]+)["'`]/g,
];

function importViolations(path: string, text: string): string[] {
  const place = placeOf(path);
  if (!place) {
    return [`${path} is in no folder of the design → move it, or describe its folder in test/tidy/architecture.ts`];
  }
  const { mayImport, mayImportTypes = [], mayLoad = [] } = place;
  return importsOf(path, text).flatMap(({ target, line, kind }) => {
    const allowed = mayImport.concat(kind === "type" ? mayImportTypes : kind === "later" ? mayLoad : []);
    if (allowed.some((one) => fits(target, one))) return [];
    return [`${path}:${line} imports ${target} → use only ${mayImport.join(", ")}`];
  });
}

interface Import {
  readonly target: string;
  readonly line: number;
  readonly kind: "type" | "later" | "value";
}

/** What a file imports, types included: packages, and files of the project by their path. */
function importsOf(path: string, text: string): Import[] {
  const code = withoutComments(text);
  return IMPORTS.flatMap((pattern) => [...code.matchAll(pattern)]).map((match) => {
    const specifier = match[1] ?? "";
    const target = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier;
    const isType = /^(?:import|export) type\b/.test(match[0]);
    const kind = isType ? "type" : match[0].startsWith("import(") ? "later" : "value";
    return { target, line: lineOf(code, match.index + match[0].length), kind };
  });
}

/** The cycles of imports among these files. */
export function importCycles(files: readonly { readonly path: string; readonly text: string }[]): string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const cycles: string[] = [];
  const done = new Set<string>();
  const follow = (path: string, importers: readonly string[]): void => {
    const start = importers.indexOf(path);
    if (start >= 0) cycles.push([...importers.slice(start), path].join(" → "));
    const text = texts.get(path);
    if (start >= 0 || done.has(path) || text === undefined) return;
    for (const { target } of importsOf(path, text)) follow(target, [...importers, path]);
    done.add(path);
  };
  for (const path of texts.keys()) follow(path, []);
  return cycles;
}

function fits(target: string, allowed: string): boolean {
  if (allowed === target) return true;
  if (allowed.endsWith("/")) return placeOf(target)?.path === allowed;
  return target.startsWith(allowed.endsWith(":") ? allowed : `${allowed}/`);
}

function bannedIn(path: string, text: string): string[] {
  const code = withoutStrings(text);
  return ONLY_HERE.flatMap(({ banned, home, instead }) => {
    const only = home && path.startsWith(IN_BROWSER.folder) ? IN_BROWSER.home : home;
    if ([only ?? []].flat().some((place) => contains(place, path))) return [];
    return [...code.matchAll(banned)].map((match) => `${path}:${lineOf(code, match.index)} ${match[0]} → ${instead}`);
  });
}
