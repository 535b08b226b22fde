import { posix } from "node:path";

/** The architecture as data: what each folder may import, and what is done in one place alone. tidy.test.ts holds it up to the code. */

/**
 * A room is a folder without the rooms inside it, or one file. An entry of `mayImport` is a room (ends with a slash), one file of
 * another room, or a package with all that is below it. The first room that fits a file is the file's.
 */
const ROOMS: readonly { readonly room: string; readonly mayImport: readonly string[] }[] = [
  { room: "src/system.ts", mayImport: ["src/domain/"] },
  { room: "src/domain/", mayImport: ["src/domain/", "node:assert/strict"] },
  {
    room: "src/store/sqlite/",
    mayImport: [
      "src/store/sqlite/",
      "src/store/",
      "src/domain/",
      "bun:sqlite",
      "node:assert/strict",
      "node:fs",
      "node:path",
    ],
  },
  { room: "src/store/", mayImport: ["src/domain/"] },
  { room: "src/service/", mayImport: ["src/service/", "src/store/", "src/domain/"] },
  { room: "src/http/", mayImport: ["src/http/", "src/service/", "src/domain/", "bun", "zod"] },
  {
    // The half of the console that runs in a browser: it knows the server by its control API alone.
    room: "sandbox/console/browser/",
    mayImport: ["sandbox/console/browser/", "@preact/signals", "eventsource-parser", "preact"],
  },
  ...["sandbox/control/", "sandbox/console/"].map((room) => ({
    room,
    mayImport: [
      ...["sandbox/", "sandbox/audit/", "sandbox/network/", "sandbox/control/", "sandbox/console/"],
      ...["src/service/", "src/domain/"],
      ...["exchange", "input", "operation", "reply", "request", "view"].map((file) => `src/http/${file}.ts`),
      "zod",
    ],
  })),
  { room: "sandbox/audit/", mayImport: ["sandbox/audit/", "src/domain/"] },
  { room: "sandbox/network/", mayImport: ["sandbox/network/", "src/domain/", "node:assert/strict"] },
  { room: "sandbox/", mayImport: ["sandbox/", "sandbox/network/", "src/domain/", "node:assert/strict"] },
  {
    room: "cli/",
    mayImport: [
      ...[
        "cli/",
        "sandbox/",
        "sandbox/audit/",
        "sandbox/network/",
        "sandbox/control/",
        "sandbox/console/",
        "package.json",
      ],
      ...["src/system.ts", "src/domain/", "src/store/", "src/store/sqlite/sqlite.ts", "src/service/", "src/http/"],
      ...["@clack/prompts", "commander", "eventsource-parser", "node:"],
    ],
  },
];

/**
 * What is done in one place alone (a file, or a folder with all that is in it), and what the rest does instead. In the browser
 * there is one place for all of it.
 */
const ONE_HOME: readonly {
  readonly what: string;
  readonly banned: RegExp;
  readonly home: string | null;
  readonly instead: string;
}[] = [
  {
    what: "reads the clock",
    banned:
      /\bDate\.now\b|\bnew Date\(\s*\)|\bnew Date\b(?!\s*\()|(?<!new )\bDate\(\s*\)|\bperformance\.now\b|\bprocess\.hrtime\b|\bBun\.nanoseconds\b/g,
    home: "src/system.ts",
    instead: "take a Clock as an argument",
  },
  {
    what: "draws at random",
    banned: /\bMath\.random\b|\b(?:getRandomValues|randomBytes|randomInt|randomUUID|randomUUIDv7)\b/g,
    home: "src/system.ts",
    instead: "take a Random as an argument",
  },
  {
    what: "sets a timer",
    banned: /\b(?:setTimeout|setInterval)\b|\bBun\.sleep(?:Sync)?\b/g,
    home: "src/system.ts",
    instead: "take a Clock as an argument, or sleep() of src/system.ts",
  },
  {
    what: "waits for the end of a turn of the event loop",
    banned: /\bsetImmediate\b/g,
    home: "src/store/",
    instead: "write through the commit queue",
  },
  {
    what: "reads the environment",
    banned: /\bprocess\.env\b|\bBun\.env\b|\bimport\.meta\.env\b/g,
    home: "cli/environment.ts",
    instead: "ask cli/environment.ts, or take an option",
  },
  {
    what: "writes to the console",
    banned: /\bconsole\s*\.\s*\w+/g,
    home: null,
    instead: "in cli, use cli/terminal/output.ts; elsewhere, hand it to reportFault",
  },
  {
    what: "touches the standard streams",
    banned: /\bprocess\.(?:stdout|stderr)\b/g,
    home: "cli/",
    instead: "return it, and let cli/terminal/output.ts write it",
  },
];

const IN_BROWSER = { room: "sandbox/console/browser/", home: "sandbox/console/browser/system.ts" };

/** What no text says, comments and documents included. The odd brackets keep these lines from finding themselves. */
const NOWHERE: readonly { readonly rule: string; readonly banned: RegExp; readonly instead: string }[] = [
  { rule: "nothing is left for later", banned: /\b(?:TO[D]O|FIX[M]E|X[X]X)\b/g, instead: "finish it" },
  { rule: "nothing refers to files outside the project", banned: /\.\.[/]shared\b/g, instead: "say it here" },
  {
    rule: "no test is skipped or alone",
    banned: /\b(?:test|it|describe)(?:\.\w+)*[.](?:skip|only|to[d]o|if|skipIf|to[d]oIf|failing)\b/g,
    instead: "make it pass, or remove it",
  },
];

const VAGUE_NAME = /(?:^|\/)(?:utils?|helpers?|common|types|index|misc)(?:\.\w+)?(?=\/|$)/;
const MOST_LINES = 400;

/** The names of all rules, in the order of the tables. */
export const RULES: readonly string[] = [
  ...ROOMS.map(importRule),
  ...ONE_HOME.map(homeRule),
  ...NOWHERE.map(({ rule }) => rule),
  "a file is named after what it holds",
  `no file is longer than ${MOST_LINES} lines`,
];

export interface Violation {
  readonly rule: string;
  readonly line: number;
  /** What stands there → what to do instead. */
  readonly problem: string;
}

/** What is against the rules in one file. `path` is relative to the project, with forward slashes. */
export function violations(path: string, text: string): Violation[] {
  const isProduct = /^(?:src|sandbox|cli)\/.*\.tsx?$/.test(path);
  const isProgram = /\.tsx?$/.test(path);
  const lines = text.replace(/\n$/, "").split("\n").length;
  const found: Violation[] = isProduct ? [...importViolations(path, text), ...homeViolations(path, text)] : [];
  for (const { rule, banned, instead } of NOWHERE) {
    for (const match of text.matchAll(banned)) {
      found.push({ rule, line: lineOf(text, match.index), problem: `${match[0]} → ${instead}` });
    }
  }
  if (VAGUE_NAME.test(path) && isProgram) {
    const rule = "a file is named after what it holds";
    found.push({ rule, line: 1, problem: "a name that fits anything → name it after the one thing it is for" });
  }
  if (lines > MOST_LINES && isProgram) {
    const rule = `no file is longer than ${MOST_LINES} lines`;
    found.push({ rule, line: lines, problem: `${lines} lines → find the second purpose, and give it a file` });
  }
  return found;
}

function importRule({ room, mayImport }: (typeof ROOMS)[number]): string {
  return `${room} imports only ${mayImport.join(", ")}`;
}

function homeRule({ what, home }: (typeof ONE_HOME)[number]): string {
  return home === null ? `nothing ${what}` : `only ${home} ${what}, and in the browser only ${IN_BROWSER.home}`;
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

function importViolations(path: string, text: string): Violation[] {
  const room = roomOf(path);
  if (!room) {
    const problem = `${path} is in no folder of the design → move it, or describe its folder in test/support/architecture.ts`;
    return [{ rule: RULES[0] ?? "", line: 1, problem }];
  }
  const code = withoutComments(text);
  return IMPORTS.flatMap((pattern) => [...code.matchAll(pattern)]).flatMap((match) => {
    const specifier = match[1] ?? "";
    const target = specifier.startsWith(".") ? posix.join(posix.dirname(path), specifier) : specifier;
    if (room.mayImport.some((allowed) => fits(target, allowed))) return [];
    const line = lineOf(code, match.index + match[0].length);
    return [{ rule: importRule(room), line, problem: `imports ${target} → use only ${room.mayImport.join(", ")}` }];
  });
}

function fits(target: string, allowed: string): boolean {
  if (allowed === target) return true;
  if (allowed.endsWith("/")) return roomOf(target)?.room === allowed;
  return target.startsWith(allowed.endsWith(":") ? allowed : `${allowed}/`);
}

function homeViolations(path: string, text: string): Violation[] {
  const code = withoutStrings(text);
  const isAtHome = (home: string) => path === home || (home.endsWith("/") && path.startsWith(home));
  return ONE_HOME.filter(
    ({ home }) => home === null || !isAtHome(path.startsWith(IN_BROWSER.room) ? IN_BROWSER.home : home),
  )
    .flatMap((entry) => [...code.matchAll(entry.banned)].map((match) => ({ entry, match })))
    .map(({ entry, match }) => ({
      rule: homeRule(entry),
      line: lineOf(code, match.index),
      problem: `${match[0]} → ${entry.instead}`,
    }));
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
