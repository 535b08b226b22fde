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
  program: "python3" | "php",
  extension: "py" | "php",
  needs: readonly Needed[],
): Language => ({
  name,
  needs,
  extension,
  source: here(`clients/client.${extension}`),
  startFrom: (file) =>
    startProgram({
      command: [program, here(`test/clients/driver.${extension}`), file],
      hasThreads: extension === "py",
    }),
});

export const LANGUAGES = [
  language("Python", "python3", "py", ["python3"]),
  language("PHP", "php", "php", ["php", "php curl"]),
];
