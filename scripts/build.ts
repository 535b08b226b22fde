import { dirname, join } from "node:path";
import { makeUmbrella } from "./release/npm.ts";
import { TARGETS } from "./release/targets.ts";

/** Makes momo's executable: `bun scripts/build.ts [file]`, by default dist/momo. Beside it is the npm package, for npm/clone.cjs. */

const ROOT = join(import.meta.dir, "..");

const STRIP = "const stripVTControlCharacters = Bun.stripANSI;";

/** Another system than this one: its name, and the runtime for the executable. */
export interface Foreign {
  readonly target: Bun.Build.CompileTarget;
  readonly executablePath: string;
}

/**
 * Compiles a program into one executable, like momo. The same sources and the same file name give the same bytes.
 * @returns the files that it contains, relative to the project
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
    // One chunk per command, so that only the used one is loaded. Small chunks are joined: a start loads each in 0.1 ms.
    splitting: true,
    minChunkSize: 16_384,
    format: "esm",
    naming: { entry: "[name].[ext]" },
    minify: true,
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    plugins: [leanCommander, leanProtocol],
  });
  return Object.keys(metafile?.inputs ?? {});
}

/**
 * Replaces imports of commander: a function that Bun has built in, and child processes, for commands that are separate programs. In pairs
 * they cost 3 of the 19 ms of a short command, 5 of the 68 ms of momo exec, and 3 % of the start of a server. Bun does not ask plugins to
 * resolve its built-in modules.
 */
const SPARED: readonly (readonly [file: string, sent: string, instead: string])[] = [
  ["help.js", "import { stripVTControlCharacters } from 'node:util';", STRIP],
  ["command.js", "import { stripVTControlCharacters } from 'node:util';", STRIP],
  ["command.js", "import childProcess from 'node:child_process';", "const childProcess = null;"],
];

const leanCommander: Bun.BunPlugin = {
  name: "commander with fewer imports",
  setup(build) {
    build.onLoad({ filter: /[\\/]commander[\\/]lib[\\/](?:command|help)\.js$/ }, async ({ path }) => {
      let contents = await Bun.file(path).text();
      for (const [file, sent, instead] of SPARED) {
        if (!path.endsWith(file)) continue;
        if (!contents.includes(sent)) throw new Error(`${path} does not say any more: ${sent}`);
        contents = contents.replace(sent, instead);
      }
      return { contents, loader: "js" };
    });
  },
};

/**
 * The MCP server would bring ajv, for answers to forms that it never sends: 13 of the 151 ms of the start of momo mcp, in pairs. Its tools
 * check their arguments themselves.
 */
const leanProtocol: Bun.BunPlugin = {
  name: "MCP without ajv",
  setup(build) {
    build.onLoad({ filter: /[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/ }, () => ({
      contents: `export { default as process } from "node:process";
        export class DefaultJsonSchemaValidator { getValidator() { throw new Error("momo sends no forms"); } }`,
    }));
  },
};

if (import.meta.main) {
  const outfile = process.argv[2] ?? join(ROOT, "dist/momo");
  await compile("cli/main.ts", outfile);
  await makeUmbrella(ROOT, join(dirname(outfile), "npm"), TARGETS);
}
