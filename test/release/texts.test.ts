import { afterAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { homebrewFormula, parseSums, releasesOf, scoopManifest } from "../../scripts/release/channels.ts";
import { componentsOf, noticesOf, sbomOf } from "../../scripts/release/components.ts";
import { RUNTIME_PARTS } from "../../scripts/release/runtime-parts.ts";
import { TARGETS } from "../../scripts/release/targets.ts";
import { manPage, notesOf, releasedVersions } from "../../scripts/release/texts.ts";
import { cleanUp, useFolder } from "../support/cleanup.ts";
import { runToEnd } from "../support/momo.ts";

afterAll(cleanUp);

/** What a release says of itself: its notes and addresses, its manual page, and what its executables contain. */

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

test("the manual page has each command, and no line of it is a request of roff by mistake", async () => {
  const page = await manPage("1.2.3");
  expect(page).toStartWith('.TH MOMO 1 "" "momo 1.2.3" "momo"\n.SH NAME\nmomo \\- ');
  for (const name of ["serve", "pay", "keys create"]) expect(page).toContain(`\n.SS momo ${name}\n.nf\n`);
  expect(page).toContain("\\-\\-outcome");
  const requests = new Set(page.match(/^[.'].*?(?= |$)/gm));
  expect([...requests].sort()).toEqual([".B", ".I", ".SH", ".SS", ".TH", ".fi", ".nf"]);
});

test("the addresses of the releases come from package.json, in each of its forms", () => {
  for (const url of ["git+https://example.org/pay/momo.git", "https://example.org/pay/momo"]) {
    for (const repository of [url, { type: "git", url }]) {
      const home = "https://example.org/pay/momo/releases";
      expect(releasesOf({ repository }, "1.2.3")).toBe(`${home}/download/v1.2.3`);
      expect(releasesOf({ repository })).toBe(`${home}/latest/download`);
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

const RELEASES = "https://example.org/pay/momo/releases/download/v1.2.3";
const sums = new Map(TARGETS.map(({ archive }, index) => [archive, String(index).repeat(64)]));

test("the formula and the Scoop manifest have the address and the sum of the archive for each system and processor", () => {
  const block = (target: string) => {
    const name = `momo-${target}.tar.gz`;
    return ` do url "${RELEASES}/${name}" sha256 "${sums.get(name)}" end `;
  };
  const system = (name: string, target: string) =>
    `on_${name} do on_arm${block(`${target}-arm64`)}on_intel${block(`${target}-x64`)}end`;
  const words = homebrewFormula("1.2.3", RELEASES, sums).split(/\s+/).join(" ");
  expect(words).toContain(`license "MIT" ${system("macos", "darwin")} ${system("linux", "linux")} def install`);
  expect(scoopManifest("1.2.3", RELEASES, sums)).toMatchObject({
    version: "1.2.3",
    architecture: {
      "64bit": { url: `${RELEASES}/momo-windows-x64.zip`, hash: sums.get("momo-windows-x64.zip") },
      arm64: { url: `${RELEASES}/momo-windows-arm64.zip`, hash: sums.get("momo-windows-arm64.zip") },
    },
    bin: "momo.exe",
  });
  expect(() => homebrewFormula("1.2.3", RELEASES, new Map())).toThrow("SHA256SUMS has no momo-darwin-arm64.tar.gz");
  expect(parseSums(`${"0".repeat(64)}  a\n`)).toEqual(new Map([["a", "0".repeat(64)]]));
  expect(() => parseSums("nonsense\n")).toThrow("no line of SHA256SUMS: nonsense");
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

test("the list for programs names the runtime, its parts, and each component with its address in the registry", () => {
  const { components, ...sbom } = sbomOf(componentsOf(FILES, plant(PACKAGES)), "0.1.0", "1.4.5") as {
    components: object[];
  };
  expect(sbom).toMatchObject({ bomFormat: "CycloneDX", metadata: { component: { name: "momo", version: "0.1.0" } } });
  expect(components).toHaveLength(1 + RUNTIME_PARTS.length + 3);
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
