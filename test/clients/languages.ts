import { join } from "node:path";
import type { Needed } from "../support/needs.ts";
import { startProgram } from "./programs.ts";

const here = (name: string) => join(import.meta.dir, "../..", name);

interface Language {
  readonly name: string;
  readonly needs: readonly Needed[];
  readonly extension: "py" | "php";
  readonly source: string;
  readonly startFrom: (file: string) => ReturnType<typeof startProgram>;
}

const language = (
  name: string,
  extension: Language["extension"],
  needs: readonly Needed[],
  interpreter: () => readonly string[],
): Language => ({
  name,
  needs,
  extension,
  source: here(`clients/client.${extension}`),
  startFrom: (file) =>
    startProgram({
      command: [...interpreter(), here(`test/clients/driver.${extension}`), file],
      hasThreads: extension === "py",
    }),
});

/** The interpreter itself, without site packages: a script that chooses a version takes most of the time of a start. */
function python(): string[] {
  const { stdout } = Bun.spawnSync(["python3", "-c", "import sys; print(sys.executable)"]);
  return [stdout.toString().trim(), "-B", "-S"];
}

export const LANGUAGES = [
  language("Python", "py", ["python3"], python),
  language("PHP", "php", ["php", "php curl"], () => ["php"]),
];
