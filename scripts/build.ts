import { join } from "node:path";

/** Makes momo's executable: `bun scripts/build.ts [file]`, by default dist/momo. */

const ROOT = join(import.meta.dir, "..");

/** For another system than this one: its name, and the runtime that goes into the executable. */
export interface Foreign {
  readonly target: Bun.Build.CompileTarget;
  readonly executablePath: string;
}

/**
 * Compiles a program into one executable, as momo is. The same sources give the same bytes; the name of the file counts as one.
 * @returns the files that went into it, relative to the project
 */
export async function compile(entry: string, outfile: string, foreign?: Foreign): Promise<string[]> {
  const { metafile } = await Bun.build({
    entrypoints: [join(ROOT, entry)],
    compile: {
      outfile,
      // Files in the current folder belong to another program.
      autoloadDotenv: false,
      autoloadBunfig: false,
      // Compiling code that runs once, at the start, costs more than it saves. A server returns to the normal policy.
      jitPolicy: 20,
      ...foreign,
    },
    metafile: true,
    bytecode: true,
    // One chunk per command, so that only the used one is loaded.
    splitting: true,
    format: "esm",
    naming: { entry: "[name].[ext]" },
    minify: true,
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    plugins: [withoutUtil],
  });
  return Object.keys(metafile?.inputs ?? {});
}

/** commander takes one function from `node:util`, which costs a start 1.3 ms; Bun has the same function at hand. */
const withoutUtil: Bun.BunPlugin = {
  name: "commander without node:util",
  setup(build) {
    build.onResolve({ filter: /^node:util$/ }, ({ importer }) =>
      /[\\/]commander[\\/]/.test(importer) ? { path: join(ROOT, "scripts/strip-ansi.ts") } : undefined,
    );
  },
};

if (import.meta.main) await compile("cli/main.ts", process.argv[2] ?? join(ROOT, "dist/momo"));
