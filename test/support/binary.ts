import { existsSync, readdirSync, renameSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import packageJson from "../../package.json";

export const ROOT = resolve(import.meta.dir, "../..");

/** Where `npm run build` puts the program. */
const BINARY = join(ROOT, "dist/momo");

/** The compiled program, if it is newer than all that goes into it. */
export const freshBinary = (): string | null =>
  existsSync(BINARY) && statSync(BINARY).mtimeMs > newestInputMs() ? BINARY : null;

/** The compiled program; built as `npm run build` does, unless it is fresh. */
export async function builtBinary(): Promise<string> {
  const fresh = freshBinary();
  if (fresh) return fresh;
  // Beside it and then in its place: another test may be running the old one, or building too.
  const draft = `${BINARY}.${process.pid}`;
  const build = Bun.spawn(["sh", "-c", `${packageJson.scripts.build} '${draft}'`], {
    cwd: ROOT,
    stdout: "ignore",
    stderr: "pipe",
  });
  const complaint = await new Response(build.stderr).text();
  if ((await build.exited) !== 0) throw new Error(`the build failed: ${complaint}`);
  renameSync(draft, BINARY);
  return BINARY;
}

function newestInputMs(): number {
  const sources = ["src", "sandbox", "cli"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" }).map((name) => join(ROOT, folder, name)),
  );
  return Math.max(
    ...[...sources, ...["package.json", "scripts/build.ts", "docs/llms.txt"].map((file) => join(ROOT, file))].map(
      (file) => statSync(file).mtimeMs,
    ),
  );
}

// `npm test` builds it before its workers, which would all build it at once.
if (import.meta.main) await builtBinary();
