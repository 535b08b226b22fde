import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { type Member, place } from "./archives.ts";
import { declarations } from "./declarations.ts";
import { TARGETS, type Target } from "./targets.ts";

/** The npm packages: the one that users name, and one with the executable for each system. */

const NODE = ">=20";

/** The part of package.json that all packages share. */
const common = {
  version: manifest.version,
  license: manifest.license,
  ...("repository" in manifest && { repository: manifest.repository }),
};

/** In the folder `npm` of the package, too, so that `../package.json` is that of the package, or of a clone. */
const PROGRAMS = ["npm/bin/momo.cjs", "npm/executable.cjs"];
const TEXTS = ["README.md", "SKILL.md"];
const MADE = ["npm/testing.mjs", "npm/testing.cjs", "npm/testing.d.mts", "npm/testing.d.cts"];

/** The files in the packages. */
export const UMBRELLA_FILES = [...PROGRAMS, ...TEXTS, ...MADE, "LICENSE", "package.json"];
export const PLATFORM_FILES = ["bin/momo", "README.md", "LICENSE", "THIRD-PARTY-NOTICES", "package.json"];

/** The names of the tarballs in the order in which they must be published: the last one names the others. */
export function tarballsOf(name: string, version: string): string[] {
  return [...TARGETS.map((target) => `${name}-${target.name}-${version}.tgz`), `${name}-${version}.tgz`];
}

const packageOf = (target: Target): string => `@${manifest.name}/${target.name}`;

/**
 * Makes the folder of the umbrella package: the command, and the test helper for ESM and CommonJS with its types.
 * @param targets the targets of the packages that it depends on
 */
export async function makeUmbrella(root: string, folder: string, targets: readonly Target[]): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  place(folder, [
    ...PROGRAMS.map((name) => ({ name, source: join(root, name) })),
    ...TEXTS.map((name) => ({ name, source: join(root, "npm", name) })),
    { name: "LICENSE", source: join(root, "LICENSE") },
  ]);
  await makeTestHelper(root, folder);
  writeManifest(folder, {
    name: manifest.name,
    ...common,
    description: manifest.description,
    keywords: ["mobile money", "stk push", "payments", "sandbox", "mock", "testing"],
    bin: { momo: "npm/bin/momo.cjs" },
    exports: {
      "./testing": {
        import: { types: "./npm/testing.d.mts", default: "./npm/testing.mjs" },
        require: { types: "./npm/testing.d.cts", default: "./npm/testing.cjs" },
      },
      "./package.json": "./package.json",
    },
    engines: { node: NODE },
    optionalDependencies: Object.fromEntries(targets.map((target) => [packageOf(target), manifest.version])),
  });
}

async function makeTestHelper(root: string, folder: string): Promise<void> {
  const types = declarations(readFileSync(join(root, "npm/test-sandbox.ts"), "utf8"));
  for (const [format, letter] of [
    ["esm", "m"],
    ["cjs", "c"],
  ] as const) {
    const { outputs } = await Bun.build({
      entrypoints: [join(root, "npm/testing.ts")],
      target: "node",
      format,
      external: ["*/executable.cjs"],
    });
    const [output] = outputs;
    if (!output) throw new Error(`npm/testing.ts gives no ${format}`);
    writeFileSync(join(folder, `npm/testing.${letter}js`), (await output.text()).replaceAll(root, ""));
    writeFileSync(join(folder, `npm/testing.d.${letter}ts`), types);
  }
}

/** Makes the folder of the package with the executable for a system. */
export function makePlatformPackage(
  folder: string,
  target: Target,
  executable: string,
  licences: readonly Member[],
): void {
  rmSync(folder, { recursive: true, force: true });
  const name = `bin/${target.executable}`;
  place(folder, [{ name, source: executable }, ...licences]);
  const description = `The executable of ${manifest.name} for ${target.name}`;
  writeFileSync(join(folder, "README.md"), `${description}. Install ${manifest.name}, which installs the right one.\n`);
  writeManifest(folder, {
    name: packageOf(target),
    ...common,
    description,
    os: [target.os],
    cpu: [target.cpu],
    ...(target.libc !== null && { libc: [target.libc] }),
    // An executable cannot be run from inside an archive.
    preferUnplugged: true,
    publishConfig: { access: "public", executableFiles: [`./${name}`] },
  });
}

function writeManifest(folder: string, content: object): void {
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(content, null, 2)}\n`);
}
