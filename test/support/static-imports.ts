import { dirname, join } from "node:path";

/** What is loaded before the first line of a program runs; what `import()` loads, and types, are not. */
export interface StaticImports {
  /** Files of the project, relative to its root. */
  readonly files: readonly string[];
  /** Packages, each with a file that imports it. */
  readonly packages: ReadonlyMap<string, string>;
}

export async function staticImportsOf(root: string, start: string): Promise<StaticImports> {
  const transpiler = new Bun.Transpiler({ loader: "ts" });
  const packages = new Map<string, string>();
  const files = new Set([start]);
  for (const file of files) {
    if (!file.endsWith(".ts")) continue;
    for (const { kind, path } of transpiler.scanImports(await Bun.file(join(root, file)).text())) {
      if (kind !== "import-statement") continue;
      if (path.startsWith(".")) files.add(join(dirname(file), path));
      else packages.set(path, file);
    }
  }
  return { files: [...files], packages };
}
