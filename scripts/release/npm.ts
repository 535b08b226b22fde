import { chmodSync, copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import type { Member } from "./archives.ts";
import { declarations } from "./declarations.ts";
import { run } from "./run.ts";
import { TARGETS, type Target } from "./targets.ts";

/** The npm packages: `momo-sandbox`, and one with the executable for each system. */

const SCOPE = "@momo-sandbox";
const NODE = ">=20";

/** The part of package.json that all packages share. */
const common = {
  version: manifest.version,
  license: manifest.license,
  ...("repository" in manifest && { repository: manifest.repository }),
};

/** The files in the packages. */
export const UMBRELLA_FILES = [
  ...["bin/momo.cjs", "executable.cjs", "testing.mjs", "testing.cjs", "testing.d.mts", "testing.d.cts"],
  ...["README.md", "SKILL.md", "LICENSE", "package.json"],
];
export const PLATFORM_FILES = ["bin/momo", "README.md", "LICENSE", "THIRD-PARTY-NOTICES", "package.json"];

/** The names of the tarballs in the order in which they must be published: `momo-sandbox` names the others. */
export function tarballsOf(name: string, version: string): string[] {
  return [...TARGETS.map((target) => `${name}-${target.name}-${version}.tgz`), `${name}-${version}.tgz`];
}

const packageOf = (target: Target): string => `${SCOPE}/${target.name}`;

/**
 * Makes the folder of the umbrella package: the command, and the test helper for ESM and CommonJS with its types.
 * @param targets the targets of the packages that it depends on
 */
export async function makeUmbrella(root: string, folder: string, targets: readonly Target[]): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "bin"), { recursive: true });
  for (const name of ["bin/momo.cjs", "executable.cjs"]) copyFileSync(join(root, "npm", name), join(folder, name));
  chmodSync(join(folder, "bin/momo.cjs"), 0o755);
  for (const name of ["README.md", "SKILL.md"]) copyFileSync(join(root, "npm", name), join(folder, name));
  copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
  await makeTestHelper(root, folder);
  writeManifest(folder, {
    name: manifest.name,
    ...common,
    description: manifest.description,
    keywords: ["mobile money", "stk push", "payments", "sandbox", "mock", "testing"],
    bin: { momo: "bin/momo.cjs" },
    exports: {
      "./testing": {
        import: { types: "./testing.d.mts", default: "./testing.mjs" },
        require: { types: "./testing.d.cts", default: "./testing.cjs" },
      },
      "./package.json": "./package.json",
    },
    engines: { node: NODE },
    optionalDependencies: Object.fromEntries(targets.map((target) => [packageOf(target), manifest.version])),
  });
}

async function makeTestHelper(root: string, folder: string): Promise<void> {
  for (const [format, name] of [
    ["esm", "testing.mjs"],
    ["cjs", "testing.cjs"],
  ] as const) {
    const { outputs } = await Bun.build({
      entrypoints: [join(root, "npm/testing.ts")],
      target: "node",
      format,
      external: ["*/executable.cjs"],
    });
    const [output] = outputs;
    if (!output) throw new Error(`npm/testing.ts gives no ${name}`);
    writeFileSync(join(folder, name), (await output.text()).replaceAll(root, ""));
  }
  const types = declarations(readFileSync(join(root, "npm/test-sandbox.ts"), "utf8"));
  for (const name of ["testing.d.mts", "testing.d.cts"]) writeFileSync(join(folder, name), types);
}

/** Makes the folder of the package with the executable for a system. */
export function makePlatformPackage(
  folder: string,
  target: Target,
  executable: string,
  texts: readonly Member[],
): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, "bin"), { recursive: true });
  cpSync(executable, join(folder, "bin", target.executable));
  chmodSync(join(folder, "bin", target.executable), 0o755);
  for (const { name, source } of texts.filter(({ name }) => /^[A-Z-]+$/.test(name))) cpSync(source, join(folder, name));
  writeFileSync(
    join(folder, "README.md"),
    `The executable of ${manifest.name} for ${target.name}. Install ${manifest.name}, which installs the right one.\n`,
  );
  writeManifest(folder, {
    name: packageOf(target),
    ...common,
    description: `The executable of ${manifest.name} for ${target.name}`,
    os: [target.os],
    cpu: [target.cpu],
    ...(target.libc !== null && { libc: [target.libc] }),
    // An executable cannot be run from inside an archive.
    preferUnplugged: true,
    publishConfig: { access: "public", executableFiles: [`./bin/${target.executable}`] },
  });
}

/** @returns the name of the tarball in the folder `to` */
export async function pack(folder: string, to: string): Promise<string> {
  mkdirSync(to, { recursive: true });
  const output = await run(["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", to], { cwd: folder });
  return output.trim().split("\n").at(-1) ?? "";
}

function writeManifest(folder: string, content: object): void {
  writeFileSync(join(folder, "package.json"), `${JSON.stringify(content, null, 2)}\n`);
}
