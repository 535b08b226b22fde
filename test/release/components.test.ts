import { expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { componentsOf, noticesOf, sbomOf } from "../../scripts/release/components.ts";
import { RUNTIME_PARTS } from "../../scripts/release/runtime-parts.ts";
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

test("the notices have the licence of each package and of each part of the runtime, and the text of each", () => {
  const components = componentsOf([...FILES, "node_modules/@a/b/node_modules/c/c.js"], plant(PACKAGES));
  const notices = noticesOf(components, "1.4.5");
  for (const part of [
    "zod 4.0.0 (MIT)",
    "MIT, by the authors of zod",
    "@a/b 1.2.3 (Apache-2.0)",
    "TERMS AND CONDITIONS FOR USE",
  ]) {
    expect(notices).toContain(part);
  }
  for (const { name, copyright } of RUNTIME_PARTS) {
    expect(notices).toContain(`${name} (`);
    expect(notices).toContain(copyright);
  }
  for (const text of ["GNU LESSER GENERAL PUBLIC LICENSE", "Independent JPEG Group License", "UNICODE LICENSE V3"]) {
    expect(notices).toContain(text);
  }
  const unknown = { name: "x", version: "1.0.0", license: "WTFPL", text: null };
  expect(() => noticesOf([unknown], "1.4.5")).toThrow("licences.txt has no WTFPL");
});

test("every library that this Bun names is in the list of its parts", () => {
  const known = new Set([
    ...RUNTIME_PARTS.map(({ key }) => key),
    "node",
    "bun",
    "openssl",
    "v8",
    "napi",
    "unicode",
    "modules",
  ]);
  expect(Object.keys(process.versions).filter((name) => !known.has(name))).toEqual([]);
});

test("the list for programs names the runtime, its parts, and each component with its address in the registry", () => {
  const { components, ...sbom } = sbomOf(componentsOf(FILES, plant(PACKAGES)), "0.1.0", "1.4.5") as {
    components: object[];
  };
  expect(sbom).toMatchObject({ bomFormat: "CycloneDX", metadata: { component: { name: "momo", version: "0.1.0" } } });
  expect(components).toHaveLength(1 + RUNTIME_PARTS.length + 2);
  for (const component of [
    { name: "bun", version: "1.4.5", type: "platform" },
    { name: "SQLite", version: process.versions.sqlite, licenses: [{ expression: "blessing" }] },
    { name: "TinyCC", licenses: [{ expression: "LGPL-2.1-or-later" }] },
    { name: "@a/b", purl: "pkg:npm/%40a/b@1.2.3" },
    { name: "zod", purl: "pkg:npm/zod@4.0.0", licenses: [{ license: { id: "MIT" } }] },
  ]) {
    expect(components).toContainEqual(expect.objectContaining(component));
  }
});

test("every package in momo itself has a licence", () => {
  const root = join(import.meta.dir, "../..");
  const files = ["commander", "zod", "drizzle-orm", "@clack/prompts", "preact"].map(
    (name) => `node_modules/${name}/index.js`,
  );
  expect(componentsOf(files, root).map(({ license }) => license)).toEqual(["MIT", "MIT", "Apache-2.0", "MIT", "MIT"]);
});
