import { describe, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { importCycles, violations } from "./architecture.ts";

const root = join(import.meta.dir, "../..");
const files = await readProject();

test("every file keeps to the rules of test/tidy/architecture.ts", () => {
  expect(files.flatMap(({ path, text }) => violations(path, text))).toEqual([]);
});

test("there is no cycle of imports in the program, types included", () => {
  expect(importCycles(files.filter(({ path }) => /^(?:src|sandbox|cli)\//.test(path)))).toEqual([]);
});

test("a cycle is found, also one of types", () => {
  const files = [
    { path: "cli/a.ts", text: 'import { b } from "./b.ts";' },
    { path: "cli/b.ts", text: 'import type { A } from "./a.ts";' },
  ];
  expect(importCycles(files)).toEqual(["cli/a.ts → cli/b.ts → cli/a.ts"]);
});

/** One mistake of each kind. */
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
  ["cli/commands/reset.ts", "process.exitCode = 1;"],
  ["cli/environment.ts", "const { env } = process.env;"],
  ["cli/commands/list.ts", "process.stdout.write(text);"],
  ["test/helpers/money.ts", ""],
  ["test/cli/list.test.ts", 'await runMomo(["list"]);'],
  ["src/domain/money.ts", "\n".repeat(301)],
];

test.each(PLANTED)("the rules find a mistake in %s: %s", (path, text) => {
  expect(violations(path, text)).toHaveLength(1);
});

describe("a server is ready before it needs zod or a page", () => {
  test("momo serve loads the packages commander and leven, and no other", async () => {
    const { files: loaded, packages } = await staticImportsOf("cli/commands/serve.ts");
    expect(loaded).toContain("src/store/sqlite/sqlite.ts");
    expect(loaded.filter((file) => file.startsWith("src/store/postgres/"))).toEqual([]);
    expect(packages.filter((name) => !/^(?:node|bun):/.test(name))).toEqual(["commander", "leven"]);
  });

  test("src/http/operations.ts, which is loaded later, needs zod", async () => {
    expect((await staticImportsOf("cli/commands/serve.ts")).files).not.toContain("src/http/operations.ts");
    expect((await staticImportsOf("src/http/operations.ts")).packages).toContain("zod");
  });
});

/** The files and packages that are loaded before the first line of a program runs: without types, and without `import()`. */
async function staticImportsOf(start: string): Promise<{ files: string[]; packages: string[] }> {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const packages = new Set<string>();
  const loaded = new Set([start]);
  for (const file of loaded) {
    if (!file.endsWith(".ts")) continue;
    for (const { kind, path } of transpiler.scanImports(await Bun.file(join(root, file)).text())) {
      if (kind !== "import-statement") continue;
      if (path.startsWith(".")) loaded.add(join(dirname(file), path));
      else packages.add(path);
    }
  }
  return { files: [...loaded], packages: [...packages] };
}

describe("packages", () => {
  const folders = ["package-lock.json", "bench/*/package-lock.json", "test/integration/*/package-lock.json"];
  const locks = folders.map((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: root })]);
  const manifests = locks.flat().map((lock) => lock.replace("-lock", ""));

  test("there are some in each place", () => expect(locks.map(({ length }) => length > 0)).toEqual([true, true, true]));

  test.each(manifests)("every dependency of %s is pinned exactly", async (manifest) => {
    const { dependencies, devDependencies, optionalDependencies } = await Bun.file(join(root, manifest)).json();
    const versions = Object.values({ ...dependencies, ...devDependencies, ...optionalDependencies });
    expect(versions.length).toBeGreaterThan(0);
    for (const version of versions)
      expect(version).toMatch(/^(?:npm:[a-z0-9@/-]+@)?[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9a-z.]+)?$/);
  });

  // The registry of this build has not all packages for other systems. `npm ci` demands that they are named all the same.
  test.each(manifests)(
    "the lock file beside %s names every package, with the checksum of each for this system",
    async (manifest) => {
      const { packages } = await Bun.file(join(root, manifest.replace(".json", "-lock.json"))).json();
      interface Locked {
        readonly integrity?: string;
        readonly cpu?: readonly string[];
        readonly os?: readonly string[];
        readonly libc?: readonly string[];
        readonly optional?: boolean;
        readonly optionalDependencies?: Readonly<Record<string, string>>;
        readonly link?: boolean;
        /** Part of the package around it. */
        readonly inBundle?: boolean;
      }
      const all = Object.entries<Locked>(packages).filter(([place, { link, inBundle }]) => place && !link && !inBundle);
      const unsafe = all.filter(([, { integrity, cpu, optional, libc, os }]) => {
        const isHere = os?.includes("linux") && cpu?.includes("x64") && !libc?.includes("musl");
        return !integrity?.startsWith("sha512-") && (!optional || !cpu || isHere);
      });
      expect(unsafe.map(([place]) => place)).toEqual([]);
      const wanted = all.flatMap(([, { optionalDependencies }]) => Object.keys(optionalDependencies ?? {}));
      const names = new Set(all.map(([place]) => place.replace(/.*node_modules\//, "")));
      expect(wanted.filter((name) => !names.has(name))).toEqual([]);
    },
  );
});

/** All programs and tests. */
async function readProject(): Promise<{ path: string; text: string }[]> {
  const paths = [...new Bun.Glob("{src,sandbox,cli,npm,test,scripts,bench}/**/*.{ts,tsx}").scanSync({ cwd: root })]
    .filter((path) => !path.split("/").some((part) => part === "node_modules" || part === "dist"))
    .sort();
  return Promise.all(
    paths.map(async (path) => ({ path: path.replaceAll("\\", "/"), text: await Bun.file(join(root, path)).text() })),
  );
}
