import { join } from "node:path";
import type { Needed } from "../support/needs.ts";
import { python } from "../support/python.ts";
import { type Driver, startPrograms } from "./programs.ts";
import type { StartClient } from "./world.ts";

const here = (name: string) => join(import.meta.dir, "../..", name);

interface Language {
  readonly name: string;
  readonly needs: readonly Needed[];
  readonly extension: "py" | "php" | "mjs";
  readonly source: string;
  readonly interpreter: () => readonly string[];
}

const PYTHON: Language = {
  name: "Python",
  needs: ["python3"],
  extension: "py",
  source: here("clients/client.py"),
  interpreter: () => [python(), "-B", "-S"], // without site packages
};
const PHP: Language = {
  name: "PHP",
  needs: ["php", "php curl"],
  extension: "php",
  source: here("clients/client.php"),
  interpreter: () => ["php"],
};
const NODE: Language = {
  name: "JavaScript",
  needs: ["node"],
  extension: "mjs",
  source: here("clients/client.mjs"),
  interpreter: () => ["node"],
};

/** The languages whose clients run as programs alone; that in JavaScript runs in the process of the test. */
export const LANGUAGES = [PYTHON, PHP];
/** Those that share one folder of orders. */
export const TOGETHER = [NODE, PYTHON, PHP];

const driverOf = ({ extension, interpreter }: Language, file: string): Driver => ({
  command: [...interpreter(), here(`test/clients/driver.${extension}`), file],
  hasThreads: extension !== "php",
});

export const startFrom = (language: Language, file = language.source): StartClient =>
  startPrograms([driverOf(language, file)]);

export const startTogether = (): StartClient => startPrograms(TOGETHER.map((one) => driverOf(one, one.source)));
