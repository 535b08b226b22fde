import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

export const ROOT = resolve(import.meta.dir, "../..");

const NAME = process.platform === "win32" ? "momo.exe" : "momo";
/** Where `npm run build` puts the program. */
const BINARY = join(ROOT, "dist", NAME);

/** The compiled program, if it is newer than all that goes into it. */
export const freshBinary = (): string | null =>
  existsSync(BINARY) && statSync(BINARY).mtimeMs > newestInputMs() ? BINARY : null;

/** The compiled program; built as `npm run build` does, unless it is fresh. */
export async function builtBinary(): Promise<string> {
  const fresh = freshBinary();
  if (fresh) return fresh;
  // Beside it and then in its place: another test may run the old one, or build too.
  const folder = join(ROOT, `dist/build-${process.pid}`);
  const draft = join(folder, NAME);
  const build = Bun.spawn([process.execPath, "scripts/setup.mjs", "scripts/build.ts", draft], {
    cwd: ROOT,
    stdout: "ignore",
    stderr: "pipe",
  });
  const output = await new Response(build.stderr).text();
  if ((await build.exited) !== 0) throw new Error(`the build failed: ${output}`);
  renameSync(draft, BINARY);
  rmSync(folder, { recursive: true });
  return BINARY;
}

function newestInputMs(): number {
  const sources = ["src", "sandbox", "cli", "npm"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
  );
  const documents = ["README.md", "SECURITY.md", ...new Bun.Glob("docs/**").scanSync({ cwd: ROOT })]; // of momo help
  const others = ["package.json", "scripts/build.ts", "test/support/binary.ts", ...documents];
  return Math.max(...[...sources, ...others].map((file) => statSync(join(ROOT, file)).mtimeMs));
}

// `npm test` builds it before it starts its workers: they would all build it at once.
if (import.meta.main) await builtBinary();
