import { existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { writeTarGz } from "../../../scripts/release/archives.ts";
import { run } from "../../../scripts/release/run.ts";
import { newFolder } from "../../support/cleanup.ts";
import { serveFake } from "../../support/fake-server.ts";

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

/** Serves the files of a folder below a path. @param answer what else it answers to the request of a file @returns the address */
export function serveFiles(folder: string, path = "/", answer: (file: string) => Response | null = () => null): string {
  const { port } = serveFake(({ url }) => {
    const { pathname } = new URL(url);
    const file = join(folder, basename(pathname));
    if (pathname !== path + basename(file) || !existsSync(file)) return new Response("", { status: 404 });
    return answer(file) ?? new Response(Bun.file(file));
  });
  return `http://127.0.0.1:${port}`;
}
