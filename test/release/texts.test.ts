import { afterAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { componentsOf, noticesOf } from "../../scripts/release/components.ts";
import { RUNTIME_PARTS } from "../../scripts/release/runtime-parts.ts";
import { notesOf, releasedVersions, releasesOf } from "../../scripts/release/texts.ts";
import { cleanUp, useFolder } from "../support/cleanup.ts";
import { runToEnd } from "../support/momo.ts";

afterAll(cleanUp);

/** What a release says of itself: its notes and its address, and what its executables contain. */

const at = useFolder();

const CHANGELOG = `# Changelog

## Unreleased

### Added

- more

## 0.2.0 (2026-03-01)

- a thing

## 0.1.0

`;

test("the notes are what stands below the heading of the version; without a heading, or with nothing below it, there is no release", () => {
  expect(notesOf(CHANGELOG, "0.2.0")).toBe("- a thing");
  expect(() => notesOf(CHANGELOG, "0.3.0")).toThrow('no heading "## 0.3.0"');
  expect(() => notesOf(CHANGELOG, "0.2")).toThrow("no heading");
  expect(() => notesOf(CHANGELOG, "0.1.0")).toThrow("says nothing");
  expect(releasedVersions(CHANGELOG, "0.2.0")).toEqual(["0.1.0"]);
  expect(releasedVersions("## Unreleased\n", "0.1.0")).toEqual([]);
});

test("the addresses of the releases come from package.json, in each of its forms", () => {
  for (const url of ["git+https://example.org/pay/momo.git", "https://example.org/pay/momo"]) {
    for (const repository of [url, { type: "git", url }]) {
      expect(releasesOf({ repository })).toBe("https://example.org/pay/momo/releases/latest/download");
    }
  }
  for (const content of [{}, { repository: null }, { repository: {} }]) expect(releasesOf(content)).toBeNull();
});

test("a check that fails makes the program end with 1, and those after it are still made; so does an error", async () => {
  const file = JSON.stringify(join(import.meta.dir, "../../scripts/release/run.ts"));
  const lines = [
    `await report({ "the first": () => { throw new Error("a thing"); }, "the last": () => "found" });`,
    `await orSayWhy(() => Promise.reject(new Error("no room")));`,
  ];
  const runs = lines.map((line) =>
    runToEnd([process.execPath, "-e", `import { orSayWhy, report } from ${file}; ${line}`]),
  );
  const [checked, failed] = await Promise.all(runs);
  const stdout = expect.stringMatching(/^failed: the first: a thing \(.*\)\nok {4}the last: found \(.*\)\n$/);
  expect(checked).toEqual({ stdout, stderr: "", exitCode: 1 });
  expect(failed).toEqual({ stdout: "", stderr: "momo: no room\n", exitCode: 1 });
});

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
const FILES = [
  ...["cli/main.ts", "node_modules/zod/index.js", "node_modules/zod/v4.js", "node_modules/@a/b/x/y.js"],
  "node_modules/@a/b/node_modules/c/c.js",
];

test("the components are the packages of the bundled files, each once, also one inside another; one without a licence is refused", () => {
  expect(componentsOf(FILES, plant(PACKAGES))).toEqual([
    { name: "@a/b", version: "1.2.3", license: "Apache-2.0", text: null },
    { name: "c", version: "2.0.0", license: "ISC", text: null },
    { name: "zod", version: "4.0.0", license: "MIT", text: "MIT, by the authors of zod" },
  ]);
  const root = plant({ "node_modules/zod/package.json": '{"name":"zod","version":"4.0.0"}' });
  expect(() => componentsOf(FILES, root)).toThrow("zod names no licence");
});

test("the notices have the licence of each package and of each part of the runtime, and the text of each", () => {
  const notices = noticesOf(componentsOf(FILES, plant(PACKAGES)), "1.4.5");
  for (const part of [
    ...["zod 4.0.0 (MIT)", "MIT, by the authors of zod", "@a/b 1.2.3 (Apache-2.0)", "TERMS AND CONDITIONS FOR USE"],
    ...["GNU LESSER GENERAL PUBLIC LICENSE", "Independent JPEG Group License", "UNICODE LICENSE V3"],
    ...RUNTIME_PARTS.flatMap(({ name, copyright }) => [`${name} (`, copyright]),
  ]) {
    expect(notices).toContain(part);
  }
  const unknown = { name: "x", version: "1.0.0", license: "Unheard-of", text: null };
  expect(() => noticesOf([unknown], "1.4.5")).toThrow("the list of licences has no Unheard-of");
});

test("every library that this Bun names is in the list of its parts", () => {
  const others = ["node", "bun", "openssl", "v8", "napi", "unicode", "modules"];
  const known = new Set([...RUNTIME_PARTS.map(({ key }) => key), ...others]);
  expect(Object.keys(process.versions).filter((name) => !known.has(name))).toEqual([]);
});
