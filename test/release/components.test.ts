import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { componentsOf, noticesOf, sbomOf } from "../../scripts/release/components.ts";
import { useFolder } from "../support/cleanup.ts";

const at = useFolder();

function plant(files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(at(name)), { recursive: true });
    writeFileSync(at(name), text);
  }
  return at("");
}

const PACKAGES = {
  "node_modules/zod/package.json": '{"name":"zod","version":"4.0.0","license":"MIT"}',
  "node_modules/zod/LICENSE": "MIT, by the authors of zod\n",
  "node_modules/@a/b/package.json": '{"name":"@a/b","version":"1.2.3","license":"Apache-2.0"}',
  "node_modules/@a/b/node_modules/c/package.json": '{"name":"c","version":"2.0.0","license":"ISC"}',
};
const FILES = ["cli/main.ts", "node_modules/zod/index.js", "node_modules/zod/v4.js", "node_modules/@a/b/x/y.js"];

test("the components are the packages of the bundled files, each once, also one inside another", () => {
  const components = componentsOf([...FILES, "node_modules/@a/b/node_modules/c/c.js"], plant(PACKAGES));
  expect(components).toEqual([
    { name: "@a/b", version: "1.2.3", license: "Apache-2.0", text: null },
    { name: "c", version: "2.0.0", license: "ISC", text: null },
    { name: "zod", version: "4.0.0", license: "MIT", text: "MIT, by the authors of zod" },
  ]);
});

test("a package that names no licence stops the release", () => {
  const root = plant({ ...PACKAGES, "node_modules/zod/package.json": '{"name":"zod","version":"4.0.0"}' });
  expect(() => componentsOf(FILES, root)).toThrow("zod names no licence");
});

test("the notices have every licence, and name the place where the sources of the runtime are", () => {
  const notices = noticesOf(componentsOf(FILES, plant(PACKAGES)), "1.4.5");
  for (const part of ["zod 4.0.0 (MIT)", "MIT, by the authors of zod", "@a/b 1.2.3 (Apache-2.0)", "LGPL-2.1"]) {
    expect(notices).toContain(part);
  }
});

test("the list for programs names the runtime and each component with its address in the registry", () => {
  expect(sbomOf(componentsOf(FILES, plant(PACKAGES)), "0.1.0", "1.4.5")).toMatchObject({
    bomFormat: "CycloneDX",
    metadata: { component: { name: "momo", version: "0.1.0" } },
    components: [
      { name: "bun", version: "1.4.5", type: "platform" },
      { name: "@a/b", purl: "pkg:npm/%40a/b@1.2.3" },
      { name: "zod", purl: "pkg:npm/zod@4.0.0", licenses: [{ license: { id: "MIT" } }] },
    ],
  });
});

test("every package in momo itself has a licence", () => {
  const root = join(import.meta.dir, "../..");
  const files = ["commander", "zod", "drizzle-orm", "@clack/prompts", "preact"].map(
    (name) => `node_modules/${name}/index.js`,
  );
  expect(componentsOf(files, root).map(({ license }) => license)).toEqual(["MIT", "MIT", "Apache-2.0", "MIT", "MIT"]);
});
