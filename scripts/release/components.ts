import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A library that an executable contains. */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** As in its package.json: `MIT`. */
  readonly license: string;
  /** The text of the licence; null if the package has none. */
  readonly text: string | null;
}

/**
 * The packages among the files in a bundle, sorted by name.
 * @param files relative to the project, with forward slashes
 */
export function componentsOf(files: readonly string[], root: string): Component[] {
  const folders = new Set<string>();
  for (const file of files) {
    const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file);
    if (match?.[1]) folders.add(match[1]);
  }
  const components = [...folders].map((folder): Component => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    if (typeof license !== "string") throw new Error(`${name} names no licence in its package.json`);
    return { name, version, license, text: licenceText(join(root, folder)) };
  });
  return components.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

function licenceText(folder: string): string | null {
  const name = readdirSync(folder).find((file) => /^licen[cs]e(?:\.(?:md|txt))?$/i.test(file));
  return name === undefined ? null : readFileSync(join(folder, name), "utf8").trim();
}

/** The licences of all that an executable contains, as one text that goes with it. */
export function noticesOf(components: readonly Component[], bunVersion: string): string {
  const parts = components.map(
    ({ name, version, license, text }) =>
      `${"=".repeat(78)}\n${name} ${version} (${license})\n\n${text ?? `Its package holds no licence text; it names ${license}.`}\n`,
  );
  return `momo contains the following software.

Bun ${bunVersion} (MIT), the runtime inside the executable: https://github.com/oven-sh/bun
Bun contains JavaScriptCore and parts of WebKit (LGPL-2.1 and BSD): https://github.com/oven-sh/WebKit
has their sources and says how to build them. Bun's LICENSE.md lists the other libraries that it contains.
momo's own sources and its build are public, so that users can link them with a changed runtime.

${parts.join("\n")}`;
}

/** The same as a list for programs, in CycloneDX 1.5. It has no time and no random number, so that the same build gives the same list. */
export function sbomOf(components: readonly Component[], version: string, bunVersion: string): object {
  const component = (name: string, componentVersion: string, license: string) => ({
    type: "library",
    name,
    version: componentVersion,
    purl: `pkg:npm/${name.replace("@", "%40")}@${componentVersion}`,
    licenses: [{ license: { id: license } }],
  });
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: { type: "application", name: "momo", version, licenses: [{ license: { id: "MIT" } }] },
    },
    components: [
      { ...component("bun", bunVersion, "MIT"), type: "platform" },
      ...components.map(({ name, version: componentVersion, license }) => component(name, componentVersion, license)),
    ],
  };
}
