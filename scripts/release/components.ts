import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import licences from "spdx-license-list/full.js";
import { RUNTIME_PARTS } from "./runtime-parts.ts";

/** A library that an executable contains. */
export interface Component {
  readonly name: string;
  readonly version: string;
  /** As in its package.json: `MIT`. */
  readonly license: string;
  /** The text of the licence; null if the package has none. */
  readonly text: string | null;
}

/** The sources of the console's page. The executable contains the page as text. */
export async function filesOfConsole(root: string): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: [join(root, "sandbox/console/browser/page.html")],
    target: "browser",
    metafile: true,
  });
  return Object.keys(metafile?.inputs ?? {});
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

/** The identifiers of an SPDX expression, as the list of licences names them. */
const idsOf = (expression: string): string[] =>
  expression
    .replaceAll("-or-later", "")
    .replace(/ WITH \S+/, "")
    .split(/ (?:AND|OR) /);

/** A line for a name, or with the names of others: `Copyright (c) <year> <owner>`. Those of each part stand before the texts. */
const COPYRIGHT = /^ *Copyright (?:\(c\)|©) .*\n+/gm;

function textOf(id: string): string {
  const licence = licences[id];
  if (licence === undefined) throw new Error(`the list of licences has no ${id}`);
  return licence.licenseText.replaceAll(COPYRIGHT, "").trim();
}

const RULE = "=".repeat(78);

/**
 * The licences of all that an executable contains, as one text that goes with it.
 * @throws if there is no text of a licence
 */
export function noticesOf(components: readonly Component[], bunVersion: string): string {
  const packages = components.map(({ name, version, license, text }) => {
    const own =
      text ?? `Its package holds no licence text; it names ${license}:\n\n${idsOf(license).map(textOf).join("\n\n")}`;
    return `${RULE}\n${name} ${version} (${license})\n\n${own}\n`;
  });
  const parts = RUNTIME_PARTS.map(
    ({ name, license, copyright, source }) => `${name} (${license}), ${addressOf(source)}\n  Copyright: ${copyright}\n`,
  );
  const ids = new Set(RUNTIME_PARTS.flatMap(({ license }) => idsOf(license)));
  const texts = [...ids].sort().map((id) => `${RULE}\n${id}\n\n${textOf(id)}\n`);
  return `momo contains the following software.

Bun ${bunVersion} (MIT), the runtime inside the executable: https://github.com/oven-sh/bun
Bun contains JavaScriptCore and parts of WebKit (LGPL-2.1): https://github.com/oven-sh/WebKit
has their sources and says how to build them. momo's own sources and its build are public, so that users can link them with a
changed runtime.

${packages.join("\n")}
${RULE}
The parts of Bun. The texts of their licences follow.

${parts.join("\n")}
${texts.join("\n")}`;
}

const addressOf = (source: string): string => (source.includes("://") ? source : `https://github.com/${source}`);
