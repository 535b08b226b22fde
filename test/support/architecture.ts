import { posix } from "node:path";

/** The architecture as data: what each folder may import, and what is done in one place alone. tidy.test.ts holds it up to the code. */

interface Room {
  readonly room: string;
  readonly mayImport: readonly string[];
  /** By `import type` or `export type` alone. */
  readonly mayImportTypes?: readonly string[];
}

/**
 * A room is a folder without the rooms inside it, or one file. An entry of `mayImport` is a room (ends with a slash), one file of
 * another room, or a package with all that is below it. The first room that fits a file is the file's.
 */
const ROOMS: readonly Room[] = [
  { room: "src/system.ts", mayImport: ["src/domain/"] },
  { room: "src/domain/", mayImport: ["src/domain/", "node:assert/strict"] },
  {
    room: "src/store/sqlite/",
    mayImport: [
      "src/store/sqlite/",
      "src/store/",
      "src/domain/",
      "bun:sqlite",
      "drizzle-orm",
      "node:assert/strict",
      "node:fs",
      "node:path",
    ],
  },
  {
    room: "src/store/postgres/",
    mayImport: ["src/store/postgres/", "src/store/", "src/domain/", "bun"],
  },
  { room: "src/store/", mayImport: ["src/store/", "src/domain/", "node:assert/strict"] },
  { room: "src/service/", mayImport: ["src/service/", "src/store/", "src/domain/"] },
  { room: "src/http/", mayImport: ["src/http/", "src/service/", "src/domain/", "bun", "zod"] },
  {
    // The half of the console that runs in a browser: it knows the server by its control API alone, and durations as texts.
    room: "sandbox/console/browser/",
    mayImport: [
      "sandbox/console/browser/",
      "src/domain/duration.ts",
      "@preact/signals",
      "eventsource-parser",
      "preact",
    ],
    mayImportTypes: ["sandbox/control/shapes/", "src/http/answers.ts"],
  },
  {
    // The page imports its types, so that it knows nothing that runs on a server alone.
    room: "sandbox/control/shapes/",
    mayImport: [
      ...[
        "sandbox/control/shapes/",
        "sandbox/",
        "sandbox/audit/",
        "sandbox/network/",
        "sandbox/webhooks/",
        "src/domain/",
        "zod",
      ],
      "src/http/answers.ts",
    ],
  },
  ...["sandbox/control/", "sandbox/console/"].map((room) => ({
    room,
    mayImport: [
      ...[
        "sandbox/",
        "sandbox/audit/",
        "sandbox/network/",
        "sandbox/webhooks/",
        "sandbox/control/",
        "sandbox/control/shapes/",
        "sandbox/console/",
      ],
      ...["src/service/", "src/domain/"],
      ...["answers", "exchange", "input", "json-schema", "operation", "reply", "request", "view"].map(
        (file) => `src/http/${file}.ts`,
      ),
      "zod",
    ],
  })),
  { room: "sandbox/audit/", mayImport: ["sandbox/audit/", "src/domain/"] },
  { room: "sandbox/webhooks/", mayImport: ["sandbox/webhooks/", "sandbox/network/", "src/domain/"] },
  { room: "sandbox/network/", mayImport: ["sandbox/network/", "src/domain/", "node:assert/strict"] },
  { room: "sandbox/", mayImport: ["sandbox/", "sandbox/network/", "src/domain/", "node:assert/strict"] },
  { room: "npm/", mayImport: ["npm/", "node:"] },
  {
    room: "cli/",
    mayImport: [
      ...[
        "cli/",
        "sandbox/",
        "sandbox/audit/",
        "sandbox/network/",
        "sandbox/webhooks/",
        "sandbox/control/",
        "sandbox/control/shapes/",
        "sandbox/console/",
        "docs/llms.txt",
        "package.json",
      ],
      ...["src/system.ts", "src/domain/", "src/store/", "src/store/sqlite/sqlite.ts", "src/store/postgres/postgres.ts"],
      ...["src/store/postgres/postgres.ts", "src/service/", "src/http/"],
      ...["@clack/prompts", "@peculiar/asn1-schema", "@peculiar/asn1-x509", "commander", "eventsource-parser", "node:"],
    ],
  },
];

/**
 * What is done in one place alone (a file, or a folder with all that is in it), and what the rest does instead. In the browser
 * there is one place for all of it.
 */
const ONE_HOME: readonly {
  readonly banned: RegExp;
  readonly home: string | null;
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
  {
    banned: /\bsetImmediate\b/g,
    home: "src/store/",
    instead: "write through the commit queue",
  },
  {
    banned: /\bprocess\.env\b|\bBun\.env\b|\bimport\.meta\.env\b/g,
    home: "cli/environment.ts",
    instead: "ask cli/environment.ts, or take an option",
  },
  {
    banned: /\bconsole\s*\.\s*\w+/g,
    home: null,
    instead: "in cli, use cli/terminal/output.ts; elsewhere, hand it to reportFault",
  },
  {
    banned: /\bprocess\.(?:stdout|stderr)\b/g,
    home: "cli/",
    instead: "return it, and let cli/terminal/output.ts write it",
  },
];

const IN_BROWSER = { room: "sandbox/console/browser/", home: "sandbox/console/browser/system.ts" };

const VAGUE_NAME = /(?:^|\/)(?:utils?|helpers?|common|types|index|misc)(?:\.\w+)?(?=\/|$)/;

/** How long a file may be, in lines. */
const MOST_LINES = 300;

/** What is still longer, and may not grow. */
const LONGER: Readonly<Record<string, number>> = { "cli/commands/doctor.ts": 304 };

/** What is against the rules in one file, with what to do instead. `path` is relative to the project, with forward slashes. */
export function violations(path: string, text: string): string[] {
  const isProduct = /^(?:src|sandbox|cli)\/.*\.tsx?$/.test(path);
  const found = isProduct ? [...importViolations(path, text), ...homeViolations(path, text)] : [];
  // A process of its own, of another runtime: it has its own environment and timers.
  if (path.startsWith("npm/")) found.push(...importViolations(path, text));
  if (VAGUE_NAME.test(path)) found.push(`${path}: a name that fits anything → name it after the one thing it is for`);
  const lines = text.replace(/\n$/, "").split("\n").length;
  if (lines > (LONGER[path] ?? MOST_LINES)) {
    found.push(`${path}: ${lines} lines → find the second purpose, and give it a file`);
  }
  return found;
}

function roomOf(path: string) {
  return ROOMS.find(({ room }) => path === room || (room.endsWith("/") && path.startsWith(room)));
}

/** Import and export lines as text, because a transpiler drops the imports of types. */
const IMPORTS = [
  /\b(?:import|export)\s+[\w$*{}\s,]+?\s*\bfrom\s*["']([^"']+)["']/g,
  /(?<!["'])\bimport\s*["']([^"']+)["']/g,
  /\b(?:import|require)\(\s*["'`]([^"'`]+)["'`]/g,
];

function importViolations(path: string, text: string): string[] {
  const room = roomOf(path);
  if (!room) {
    return [`${path} is in no folder of the design → move it, or describe its folder in test/support/architecture.ts`];
  }
  return importsOf(path, text).flatMap(({ target, line, isTypeOnly }) => {
    const types = isTypeOnly ? (room.mayImportTypes ?? []) : [];
    if ([...room.mayImport, ...types].some((allowed) => fits(target, allowed))) return [];
    return [`${path}:${line} imports ${target} → use only ${room.mayImport.join(", ")}`];
  });
}

interface Import {
  readonly target: string;
  readonly line: number;
  readonly isTypeOnly: boolean;
}

/** What a file imports, types included: files of the project by their path, and packages. */
function importsOf(path: string, text: string): Import[] {
  const code = withoutComments(text);
  return IMPORTS.flatMap((pattern) => [...code.matchAll(pattern)]).map((match) => {
    const specifier = match[1] ?? "";
    const target = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier;
    const isTypeOnly = /^(?:import|export) type\b/.test(match[0]);
    return { target, line: lineOf(code, match.index + match[0].length), isTypeOnly };
  });
}

/** The circles of imports among these files: in each, every file imports the next one, and the last imports the first. */
export function circlesAmong(files: readonly { readonly path: string; readonly text: string }[]): string[] {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  const circles: string[] = [];
  const done = new Set<string>();
  const follow = (path: string, way: readonly string[]): void => {
    const start = way.indexOf(path);
    if (start >= 0) circles.push([...way.slice(start), path].join(" → "));
    const text = texts.get(path);
    if (start >= 0 || done.has(path) || text === undefined) return;
    for (const { target } of importsOf(path, text)) follow(target, [...way, path]);
    done.add(path);
  };
  for (const path of texts.keys()) follow(path, []);
  return circles;
}

function fits(target: string, allowed: string): boolean {
  if (allowed === target) return true;
  if (allowed.endsWith("/")) return roomOf(target)?.room === allowed;
  return target.startsWith(allowed.endsWith(":") ? allowed : `${allowed}/`);
}

function homeViolations(path: string, text: string): string[] {
  const code = withoutStrings(text);
  const isAtHome = (home: string) => path === home || (home.endsWith("/") && path.startsWith(home));
  return ONE_HOME.filter(
    ({ home }) => home === null || !isAtHome(path.startsWith(IN_BROWSER.room) ? IN_BROWSER.home : home),
  )
    .flatMap((entry) => [...code.matchAll(entry.banned)].map((match) => ({ entry, match })))
    .map(({ entry, match }) => `${path}:${lineOf(code, match.index)} ${match[0]} → ${entry.instead}`);
}

/** Comments, plain strings, templates and regular expressions, so that none is taken for part of another. */
const TOKENS =
  /(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|`(?:\\.|[^`\\])*`|(?<=(?:[=(,:!&|?{};[>]|\breturn)\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g;

function withoutComments(text: string): string {
  return text.replace(TOKENS, (token, comment?: string) => (comment === undefined ? token : blank(token)));
}

function withoutStrings(text: string): string {
  return text.replace(TOKENS, (token, comment?: string, plain?: string) =>
    comment === undefined && plain === undefined ? token : blank(token),
  );
}

/** Keeps the places of what follows. */
function blank(token: string): string {
  return token.replace(/[^\n]/g, " ");
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
