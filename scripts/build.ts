import { existsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../package.json" with { type: "json" };
import { makeUmbrella } from "./release/npm.ts";
import { TARGETS } from "./release/targets.ts";

/** Makes momo's executable: `bun scripts/build.ts [file]`, by default dist/momo. Beside it is the npm package, for npm/clone.cjs. */

const ROOT = join(import.meta.dir, "..");

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
      // Code that runs once, at the start, is not compiled: that would take 6 of the 52 ms until `momo serve` is ready. A server returns
      // to the normal policy.
      jitPolicy: 20,
      ...foreign,
    },
    metafile: true,
    bytecode: true,
    // Each command is a chunk, so that only the used one is loaded. Loading all takes 33 of the 44 ms of `momo --version`.
    splitting: true,
    format: "esm",
    naming: { entry: "[name].[ext]" },
    minify: true,
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    plugins: [leanProtocol, leanCommander],
  });
  return Object.keys(metafile?.inputs ?? {});
}

/**
 * The library of the MCP server brings ajv, for answers to forms. momo sends no forms, and its tools check their arguments
 * themselves. Loading ajv takes 15 of the 95 ms of `momo mcp`.
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

const STRIP = "const stripVTControlCharacters = Bun.stripANSI;";

const EMITTER = `class EventEmitter {
  #listeners = {};
  on(name, listener) {
    (this.#listeners[name] ??= []).push(listener);
    return this;
  }
  emit(name, ...values) {
    for (const listener of this.#listeners[name] ?? []) listener.apply(this, values);
  }
  listenerCount(name) {
    return this.#listeners[name]?.length ?? 0;
  }
}`;

/**
 * Imports of commander that take 2 of the 23 ms until `momo serve` is ready, and what stands for them: other programs as commands, which
 * momo has none of; a function that the runtime has built in; and the three methods of an emitter that commander calls.
 */
const SPARED: readonly (readonly [file: string, sent: string, instead: string])[] = [
  ["command.js", "import childProcess from 'node:child_process';", "const childProcess = null;"],
  ["command.js", "import { stripVTControlCharacters } from 'node:util';", STRIP],
  ["help.js", "import { stripVTControlCharacters } from 'node:util';", STRIP],
  ["command.js", "import { EventEmitter } from 'node:events';", EMITTER],
];

/** It replaces text, because Bun does not ask plugins to resolve its own modules. */
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

if (import.meta.main) {
  const outfile = process.argv[2] ?? join(ROOT, "dist/momo");
  await compile("cli/main.ts", outfile);
  const npm = join(dirname(outfile), "npm");
  await makeUmbrella(ROOT, npm, TARGETS);
  // For Windows, the compiler adds the ending.
  const made = existsSync(outfile) ? outfile : `${outfile}.exe`;
  const megabytes = (statSync(made).size / 1e6).toFixed(1);
  process.stdout.write(
    `${made}: ${megabytes} MB, momo ${manifest.version} for ${process.platform} on ${process.arch}\n` +
      `${npm}: its npm package, for a project that installs this folder\n`,
  );
}
