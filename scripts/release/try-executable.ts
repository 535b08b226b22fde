import { payment, run } from "./run.ts";

/** Runs executables of a release on this machine, where that can be done. */

interface Emulator {
  /** The words before the name of the executable. */
  readonly words: readonly string[];
  /** What installs it on Debian. */
  readonly packages: string;
}

const EMULATORS: Readonly<Record<string, Emulator>> = {
  "linux-x64": { words: [], packages: "" },
  "linux-arm64": { words: ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"], packages: "qemu-user libc6-arm64-cross" },
};

/**
 * Asks for the version, and makes a payment with a sandbox of its own; with an emulator it only starts the sandbox.
 * @returns what it did, or why this was not tried
 */
export async function tryExecutable(target: string, file: string, version: string): Promise<string> {
  const emulator = EMULATORS[target];
  if (emulator === undefined) return "not tried here: the workflow runs it on its system";
  const { words, packages } = emulator;
  const [program] = words;
  if (program !== undefined && Bun.which(program, { PATH: process.env.PATH ?? "" }) === null) {
    return `not tried, because there is no ${program}: apt-get install ${packages}`;
  }
  const momo = [...words, file];
  const found = (await run([...momo, "--version"])).trim();
  if (found !== version) throw new Error(`it is ${found}`);
  if (program === undefined)
    return `a payment ${(await run([file, "exec", "--", file, ...payment("completed")])).trim()}`;
  // A payment can take longer than a command waits for its answer.
  await run([...momo, "exec", "--", "true"]);
  return "a sandbox started";
}
