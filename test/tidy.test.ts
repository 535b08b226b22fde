import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { circlesAmong, violations } from "./support/architecture.ts";
import { staticImportsOf } from "./support/static-imports.ts";

const root = join(import.meta.dir, "..");
const files = await readProject();

test("every file keeps to the rules of test/support/architecture.ts", () => {
  expect(files.flatMap(({ path, text }) => violations(path, text))).toEqual([]);
});

test("no circle of imports among the files of the program, types included", () => {
  expect(circlesAmong(files.filter(({ path }) => /^(?:src|sandbox|cli)\//.test(path)))).toEqual([]);
});

/** One mistake of each kind, and who makes it. */
const PLANTED: readonly (readonly [path: string, text: string])[] = [
  ["src/loose.ts", ""],
  ["src/domain/money.ts", 'import { z } from "zod";'],
  ["src/store/sqlite/totals.ts", 'import type { Service } from "../../service/service.ts";'],
  ["src/store/postgres/totals.ts", 'import { ROW } from "../sqlite/statements.ts";'],
  ["src/service/authenticate.ts", 'const { Database } = await import("bun:sqlite");'],
  ["sandbox/console/browser/wire.ts", 'import { prompt } from "../../control/shapes/payments.ts";'],
  ["npm/testing.ts", 'import type { Status } from "../src/domain/transaction.ts";'],
  ["src/service/resolver.ts", "const quote = /[\"'`]/;\nconst nowMs = Date.now();"],
  ["sandbox/console/browser/sync.ts", "const nowMs = performance.now();"],
  ["cli/terminal/output.ts", "console.log(text);"],
  ["test/helpers/money.ts", ""],
  ["src/domain/money.ts", "\n".repeat(301)],
];

test.each(PLANTED)("the rules find a mistake in %s: %s", (path, text) => {
  expect(violations(path, text)).toHaveLength(1);
});

describe("a server is ready before it needs zod or a page", () => {
  test("momo serve loads commander, and nothing else from elsewhere", async () => {
    const { files: loaded, packages } = await staticImportsOf(root, "cli/commands/serve.ts");
    expect(loaded).toContain("src/store/sqlite/sqlite.ts");
    expect([...loaded].filter((file) => file.startsWith("src/store/postgres/"))).toEqual([]);
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
  const manifests = [
    "package.json",
    "bench/peers/package.json",
    "scripts/release/clients/package.json",
    "test/integration/npm/package.json",
    "test/integration/intercept/package.json",
    "test/integration/postgres/package.json",
    "test/integration/workflows/package.json",
  ];

  test.each(manifests)("every dependency of %s is pinned exactly", async (manifest) => {
    const { dependencies, devDependencies, optionalDependencies } = await Bun.file(join(root, manifest)).json();
    const versions = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(versions.length).toBeGreaterThan(0);
    for (const version of versions)
      expect(version).toMatch(/^(?:npm:[a-z0-9@/-]+@)?[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9a-z.]+)?$/);
  });

  test.each(manifests)("the lock file beside %s holds the checksum of every package", async (manifest) => {
    const { packages } = await Bun.file(join(root, manifest.replace(".json", "-lock.json"))).json();
    interface Locked {
      readonly integrity?: string;
      readonly link?: boolean;
      /** Part of the package around it. */
      readonly inBundle?: boolean;
    }
    for (const [place, { integrity, link, inBundle }] of Object.entries<Locked>(packages)) {
      if (place !== "" && !link && !inBundle) expect(`${place} ${integrity}`).toMatch(/ sha512-/);
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
