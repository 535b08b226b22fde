import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { circlesAmong, RULES, violations } from "./support/architecture.ts";
import { staticImportsOf } from "./support/static-imports.ts";

const root = join(import.meta.dir, "..");
const files = await readProject();

describe("the architecture", () => {
  for (const rule of RULES) {
    test(rule, () => {
      const found = files.flatMap(({ path, text }) =>
        violations(path, text)
          .filter((violation) => violation.rule === rule)
          .map(({ line, problem }) => `${path}:${line} ${problem}`),
      );
      expect(found).toEqual([]);
    });
  }

  test("no circle of imports among the files of the program, types included", () => {
    expect(circlesAmong(files.filter(({ path }) => /^(?:src|sandbox|cli)\//.test(path)))).toEqual([]);
  });

  test("covers every folder of the program", () => {
    for (const folder of ["src/domain/", "src/store/", "src/service/", "src/http/", "sandbox/", "cli/"]) {
      expect(files.some(({ path }) => path.startsWith(folder))).toBe(true);
    }
  });
});

/** Mistakes, with the beginning of the rule that must find each at its first line. */
const PLANTED: readonly (readonly [rule: string, path: string, text: string])[] = [
  ["src/system.ts imports", "src/system.ts", 'import { openStore } from "./store/store.ts";'],
  ["src/system.ts imports", "src/loose.ts", ""],
  ["src/domain/ imports", "src/domain/money.ts", 'import { z } from "zod";'],
  ["src/domain/ imports", "src/domain/money.ts", 'import assert from "node:assert";'],
  ["src/domain/ imports", "src/domain/money.ts", 'export { systemClock } from "../system.ts";'],
  ["src/store/ imports", "src/store/store.ts", 'import { openStore } from "./sqlite/sqlite.ts";'],
  [
    "src/store/sqlite/ imports",
    "src/store/sqlite/totals.ts",
    'import type { Service } from "../../service/service.ts";',
  ],
  [
    "src/store/postgres/ imports",
    "src/store/postgres/totals.ts",
    'import { toTransaction } from "../sqlite/statements.ts";',
  ],
  ["src/store/sqlite/ imports", "src/store/sqlite/totals.ts", 'export * from "../../../sandbox/network/script.ts";'],
  ["src/service/ imports", "src/service/registry.ts", 'import { openStore } from "../store/sqlite/sqlite.ts";'],
  ["cli/ imports", "cli/commands/import.ts", 'import { recount } from "../../src/store/sqlite/totals.ts";'],
  ["src/service/ imports", "src/service/authenticate.ts", 'const { Database } = await import("bun:sqlite");'],
  ["src/service/ imports", "src/service/authenticate.ts", 'import { pay } from "../../cli/pay.ts";'],
  ["src/http/ imports", "src/http/status.ts", 'import "../store/store.ts";'],
  ["src/http/ imports", "src/http/status.ts", 'import { createNetwork } from "../../sandbox/network/network.ts";'],
  ["src/http/ imports", "src/http/status.ts", 'type Harness = import("../../test/support/harness.ts").Harness;'],
  ["sandbox/control/ imports", "sandbox/control/health.ts", "import { openStore } from '../../src/store/store.ts';"],
  ["sandbox/control/ imports", "sandbox/control/health.ts", 'import { createApi } from "../../src/http/api.ts";'],
  [
    "sandbox/control/shapes/ imports",
    "sandbox/control/shapes/server.ts",
    'import type { ControlContext } from "../context.ts";',
  ],
  ["sandbox/console/ imports", "sandbox/console/page.ts", 'import { Database } from "bun:sqlite";'],
  ["sandbox/console/browser/ imports", "sandbox/console/browser/state.ts", 'import { z } from "zod";'],
  [
    "sandbox/console/browser/ imports",
    "sandbox/console/browser/views/app.tsx",
    'import "../../../control/control.ts";',
  ],
  [
    "sandbox/console/browser/ imports",
    "sandbox/console/browser/wire.ts",
    'import { prompt } from "../../control/shapes/payments.ts";',
  ],
  ["sandbox/console/browser/ imports", "sandbox/console/browser/sync.ts", 'import "../../../src/domain/fee.ts";'],
  ["sandbox/console/ imports", "sandbox/console/page.ts", 'import { render } from "preact";'],
  ["sandbox/audit/ imports", "sandbox/audit/polls.ts", 'import { createRequestLog } from "../request-log.ts";'],
  ["sandbox/audit/ imports", "sandbox/audit/polls.ts", 'import { succeed } from "../../src/http/reply.ts";'],
  ["sandbox/network/ imports", "sandbox/network/script.ts", 'import { createControl } from "../control/control.ts";'],
  [
    "sandbox/webhooks/ imports",
    "sandbox/webhooks/webhooks.ts",
    'import { openStore } from "../../src/store/store.ts";',
  ],
  ["sandbox/webhooks/ imports", "sandbox/webhooks/send.ts", 'import { z } from "zod";'],
  ["sandbox/ imports", "sandbox/faults.ts", 'import { createControl } from "./control/control.ts";'],
  [
    "sandbox/network/ imports",
    "sandbox/network/script.ts",
    'import type { Service } from "../../src/service/service.ts";',
  ],
  ["cli/ imports", "cli/commands/pay.ts", 'import { openHarness } from "../../test/support/harness.ts";'],
  ["npm/ imports", "npm/testing.ts", 'import type { Status } from "../src/domain/transaction.ts";'],
  ["cli/ imports", "cli/commands/pay.ts", 'import chalk from "chalk";'],
  ["only src/system.ts reads the clock", "src/service/resolver.ts", "const nowMs = Date.now();"],
  ["only src/system.ts reads the clock", "cli/commands/list.ts", "const today = new Date();"],
  ["only src/system.ts reads the clock", "cli/client/wait.ts", "const startedMs = performance.now();"],
  ["only src/system.ts reads the clock", "sandbox/console/browser/sync.ts", "const nowMs = performance.now();"],
  ["only src/system.ts draws", "sandbox/network/identifiers.ts", "const digit = Math.random() * 10;"],
  ["only src/system.ts draws", "sandbox/network/identifiers.ts", "crypto.getRandomValues(bytes);"],
  ["only src/system.ts draws", "src/domain/credentials.ts", "const secret = randomBytes(32);"],
  ["only src/system.ts sets a timer", "src/http/server.ts", "setTimeout(stop, 3000);"],
  ["only src/system.ts sets a timer", "sandbox/webhooks/send.ts", "setTimeout(abort, 10_000);"],
  ["only src/system.ts sets a timer", "sandbox/network/network.ts", "setInterval(poll, 1000);"],
  ["only src/store/ waits", "src/service/service.ts", "setImmediate(flush);"],
  ["only cli/environment.ts reads", "src/http/server.ts", 'if (process.env.DEBUG === "1") return;'],
  ["nothing writes to the console", "sandbox/console/browser/main.tsx", "console.log(state);"],
  ["nothing writes to the console", "cli/terminal/output.ts", "console.log(text);"],
  ["nothing writes to the console", "src/store/store.ts", `const line = \`\${console.error(text)}\`;`],
  ["only cli/ touches the standard", "src/http/server.ts", "process.stderr.write(line);"],
  ["a file is named after", "src/domain/utils.ts", ""],
  ["a file is named after", "test/helpers/money.ts", ""],
  ["no file of the program is longer than", "src/domain/money.ts", "\n".repeat(301)],
  ["no other file is longer than", "test/domain/money.test.ts", "\n".repeat(401)],
];

describe("the rules bite", () => {
  for (const [rule, path, text] of PLANTED) {
    test(`${rule}: ${path} ${text.trim()}`, () => {
      expect(violations(path, text).map((violation) => violation.rule)).toEqual([expect.stringContaining(rule)]);
    });
  }

  test("a circle is named with all its files, also where one of them imports a type", () => {
    const circle = [
      { path: "src/a.ts", text: 'import { b } from "./b.ts";\nimport "node:fs";' },
      { path: "src/b.ts", text: 'import { c } from "./deep/c.ts";' },
      { path: "src/deep/c.ts", text: 'import type { A } from "../a.ts";' },
    ];
    expect(circlesAmong(circle)).toEqual(["src/a.ts → src/b.ts → src/deep/c.ts → src/a.ts"]);
    expect(circlesAmong(circle.slice(1))).toEqual([]);
  });

  test("every rule has a mistake that it must find", () => {
    expect(RULES.filter((name) => !PLANTED.some(([rule]) => name.startsWith(rule)))).toEqual([]);
  });

  test("an import over several lines is found, and its line named", () => {
    const text = '/* why\n */\nimport {\n  type Store,\n  openStore,\n} from "../store/store.ts";\n';
    expect(violations("src/http/status.ts", text)).toEqual([
      expect.objectContaining({
        line: 6,
        problem: expect.stringContaining("imports src/store/store.ts → use only src/http/"),
      }),
    ]);
  });

  const ALLOWED: readonly (readonly [path: string, text: string])[] = [
    ["src/system.ts", "export const nowMs = () => Date.now();"],
    ["src/store/sqlite/commit-queue.ts", "setImmediate(flush);"],
    ["src/store/sqlite/tables.ts", 'import { Database } from "bun:sqlite";'],
    ["cli/environment.ts", "export const isCi = () => Boolean(process.env.CI);"],
    ["cli/terminal/output.ts", "process.stdout.write(text);"],
    ["sandbox/console/browser/system.ts", "export const monotonicMs = () => performance.now();"],
    ["sandbox/console/browser/views/app.tsx", 'import { render } from "preact";'],
    ["sandbox/console/browser/wire.ts", 'import type { Prompt } from "../../control/shapes/payments.ts";'],
    ["cli/version.ts", 'import { version } from "../package.json";'],
    ["cli/commands/serve.ts", 'const { page } = await import("../../sandbox/console/page.ts");'],
    ["sandbox/control/control.ts", 'import { page } from "../console/page.ts";'],
    ["src/domain/clock.ts", '// not Date.now()\nconst day = new Date(nowMs); /* nor import x from "zod" */'],
    ["src/domain/phone.ts", 'const hint = "http://localhost does not read process.env.PHONE";'],
    ["src/domain/money.ts", "\n".repeat(300)],
  ];
  for (const [path, text] of ALLOWED) {
    test(`nothing is wrong with ${path} ${text.trim()}`, () => expect(violations(path, text)).toEqual([]));
  }

  test("a slash or a quote in a regular expression hides nothing behind it", () => {
    const text = 'const quote = /["\'`]/; const url = /https?:\\/\\//;\nconst nowMs = Date.now(); // "';
    expect(violations("cli/commands/list.ts", text)).toEqual([expect.objectContaining({ line: 2 })]);
  });
});

describe("a server is ready before it needs zod or a page", () => {
  test("momo serve loads commander, and nothing else from elsewhere", async () => {
    const { files: loaded, packages } = await staticImportsOf(root, "cli/commands/serve.ts");
    expect(loaded).toContain("src/store/sqlite/sqlite.ts");
    const foreign = [...packages].filter(([name]) => !/^(?:node|bun):/.test(name));
    expect(Object.fromEntries(foreign)).toEqual({ commander: expect.any(String) });
  });

  test.each([["src/http/stkpush.ts", "zod"]])("%s, which is loaded later, brings %s", async (file, name) => {
    const { files: loaded } = await staticImportsOf(root, "cli/commands/serve.ts");
    expect(loaded).not.toContain(file);
    expect([...(await staticImportsOf(root, file)).packages.keys()]).toContain(name);
  });
});

describe("what comes from elsewhere", () => {
  const manifests = ["", "bench/peers/", "test/intercept/", "test/postgres/"].map((folder) => `${folder}package.json`);

  test.each(manifests)("every dependency of %s is pinned exactly", async (manifest) => {
    const { dependencies, devDependencies, optionalDependencies } = await Bun.file(join(root, manifest)).json();
    const versions = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(versions.length).toBeGreaterThan(0);
    for (const version of versions)
      expect(version).toMatch(/^(?:npm:[a-z0-9-]+@)?[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9a-z.]+)?$/);
  });

  test.each(manifests)("the lock file beside %s holds the checksum of every package", async (manifest) => {
    const { packages } = await Bun.file(join(root, manifest.replace(".json", "-lock.json"))).json();
    for (const [place, { integrity, link }] of Object.entries<{ integrity?: string; link?: boolean }>(packages)) {
      if (place !== "" && !link) expect(`${place} ${integrity}`).toMatch(/ sha512-/);
    }
  });
});

/** All programs and tests. */
async function readProject(): Promise<{ path: string; text: string }[]> {
  const paths = [...new Bun.Glob("{src,sandbox,cli,test,scripts,bench}/**/*.{ts,tsx}").scanSync({ cwd: root })]
    .filter((path) => !path.split("/").some((part) => part === "node_modules" || part === "dist"))
    .sort();
  return Promise.all(
    paths.map(async (path) => ({ path: path.replaceAll("\\", "/"), text: await Bun.file(join(root, path)).text() })),
  );
}
