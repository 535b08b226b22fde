import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { writeTarGz } from "../../scripts/release/archives.ts";
import { makePlatformPackage, makeUmbrella } from "../../scripts/release/npm.ts";
import { run } from "../../scripts/release/run.ts";
import { TARGETS, type Target } from "../../scripts/release/targets.ts";
import { builtBinary, ROOT } from "./binary.ts";
import { later, newFolder, newProgramFolder } from "./cleanup.ts";

/** Releases for the programs that download one. */

interface ReleaseOptions {
  /** What SHA256SUMS says of the archive; by default its sum. */
  readonly sum?: string | undefined;
  /** As in the name of the archive. */
  readonly system?: string;
}

/** The folder of a release whose executable is this script. */
export async function makeRelease(
  script: string,
  { sum, system = `linux-${process.arch}` }: ReleaseOptions = {},
): Promise<string> {
  const folder = newFolder();
  const archive = `momo-${system}.tar.gz`;
  writeFileSync(join(folder, "momo"), script, { mode: 0o755 });
  await writeTarGz(join(folder, archive), [{ name: "momo", source: join(folder, "momo") }]);
  const sums = await run(["sha256sum", archive], { cwd: folder });
  writeFileSync(join(folder, "SHA256SUMS"), sum === undefined ? sums : `${sum}  ${archive}\n`);
  return folder;
}

/** A folder for the path, with these programs. */
export function makePrograms(scripts: Readonly<Record<string, string>>): { PATH: string; bin: string } {
  const bin = newProgramFolder();
  for (const [name, script] of Object.entries(scripts)) writeFileSync(join(bin, name), script, { mode: 0o755 });
  return { PATH: `${bin}:${process.env.PATH}`, bin };
}

/** Serves the files of a folder below a path. @param answer what else it answers to the request of a file @returns the address */
export function serveFiles(folder: string, path = "/", answer: (file: string) => Response | null = () => null): string {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch({ url }) {
      const { pathname } = new URL(url);
      const file = join(folder, basename(pathname));
      if (pathname !== path + basename(file) || !existsSync(file)) return new Response("", { status: 404 });
      return answer(file) ?? new Response(Bun.file(file));
    },
  });
  later(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}

const HOST = hostTarget();

function hostTarget(): Target {
  const found = TARGETS.find(({ os, cpu, libc }) => os === process.platform && cpu === process.arch && libc !== "musl");
  if (!found) throw new Error(`momo is not built for ${process.platform} on ${process.arch}`);
  return found;
}

/**
 * A project with the npm package in its node_modules, as it is published.
 * @param options.platform whether the package with the executable is there
 */
export async function installPackages({ platform = true } = {}): Promise<string> {
  const project = newFolder();
  const modules = join(project, "node_modules");
  writeFileSync(join(project, "package.json"), JSON.stringify({ devDependencies: { [manifest.name]: "*" } }));
  await makeUmbrella(ROOT, join(modules, manifest.name), TARGETS);
  mkdirSync(join(modules, ".bin"));
  symlinkSync(`../${manifest.name}/npm/bin/momo.cjs`, join(modules, ".bin/momo"));
  if (platform) makePlatformPackage(join(modules, `@${manifest.name}`, HOST.name), HOST, await builtBinary(), []);
  return project;
}
