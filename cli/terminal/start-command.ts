import { existsSync, statSync } from "node:fs";
import { whyNotRunnable } from "../../npm/runnable.cjs";
import { Failure } from "./failure.ts";
import { ignoredAtStart, PASSED_ON } from "./signals.ts";

/** Starts the command of `momo exec`, as a shell does. */

/** @throws Failure that says why it cannot be run */
export async function startCommand(command: readonly string[], env: Record<string, string | undefined>) {
  const [name = "", ...args] = command;
  const start = (words: string[]) => Bun.spawn(words, { stdio: ["inherit", "inherit", "inherit"], env });
  const file = Bun.which(name, { PATH: env.PATH ?? "" });
  try {
    return start(file === null ? [...command] : ignoring([...command]));
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    const path = name.includes("/") ? name : file;
    if (path !== null && code === "ENOEXEC" && (await isText(path))) return start(["sh", path, ...args]);
    // Not before: the system may have an interpreter for programs of other systems.
    const reason = path !== null && existsSync(path) ? whyRefused(path, code) : null;
    if (reason === null && code === "ENOENT") {
      throw new Failure("command_missing", `${name} is not a command that can be found`);
    }
    throw new Failure("command_refused", `${name} cannot be run: ${reason === null ? code : `it ${reason}`}`);
  }
}

function whyRefused(path: string, code: string): string | null {
  if (code !== "EACCES") return whyNotRunnable(path);
  return statSync(path).isDirectory() ? "is a folder" : "may not be executed (chmod +x allows it)";
}

/** Shells read a file without `#!` as a script of `sh`, if its beginning is text. */
const isText = async (file: string): Promise<boolean> => !(await Bun.file(file).slice(0, 4096).bytes()).includes(0);

/** The runtime gives a child the default signals. Only a shell can ignore them for it again. */
function ignoring(words: string[]): string[] {
  const names = PASSED_ON.filter((signal) => ignoredAtStart().has(signal)).map((signal) => signal.slice("SIG".length));
  return names.length === 0 ? words : ["sh", "-c", `trap '' ${names.join(" ")}; exec "$@"`, "sh", ...words];
}
