import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";
import { TARGETS, type Target } from "./targets.ts";
import type { Stop } from "./trial.ts";

/** What runs the executable of a target on this machine. */
export interface Machine {
  /** For people: `qemu-aarch64 7.2.22`. */
  readonly name: string;
  /** Stands before the executable. */
  readonly prefix: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stop: Stop;
  /** Ends what the machine leaves running. */
  close(): Promise<unknown>;
}

/** Why a target cannot be run here, for people: what is missing, and how to get it. */
export class CannotRun extends Error {}

const HOST: Target | undefined = TARGETS.find(
  ({ os, cpu, libc }) => os === process.platform && cpu === process.arch && (libc === null || libc === libcOfHost()),
);

const nothing = async () => {};
const PLAIN = { prefix: [], env: {}, stop: "SIGTERM", close: nothing } as const;

/**
 * @param folder an empty one, for what the machine needs
 * @throws CannotRun
 */
export async function machineFor(target: Target, folder: string): Promise<Machine> {
  // Windows has no SIGTERM.
  if (target === HOST) return { ...PLAIN, name: "this machine", stop: target.os === "win32" ? "stdin" : "SIGTERM" };
  if (HOST?.name === "linux-x64") {
    if (target.name === "linux-arm64") return qemu();
    if (target.name === "linux-x64-musl") return musl(folder);
    if (target.name === "windows-x64") return wine(folder);
  }
  throw new CannotRun(`needs a machine of its own; this one is ${process.platform} on ${process.arch}`);
}

function libcOfHost(): "glibc" | "musl" {
  return existsSync("/lib64/ld-linux-x86-64.so.2") || existsSync("/lib/ld-linux-aarch64.so.1") ? "glibc" : "musl";
}

/** The processor in software; Debian's C library for it stands in a folder of its own. */
async function qemu(): Promise<Machine> {
  const libraries = "/usr/aarch64-linux-gnu";
  needs({ "qemu-user-static": "/usr/bin/qemu-aarch64-static", "libc6-arm64-cross": `${libraries}/lib` });
  const version = /version (\S+)/.exec(await run(["qemu-aarch64-static", "--version"]))?.[1] ?? "";
  return { ...PLAIN, name: `qemu-aarch64 ${version}`, prefix: ["qemu-aarch64-static", "-L", libraries] };
}

/**
 * Debian's musl, with its libstdc++, which is made for glibc: a small library has the names that only glibc has. It lets the
 * executable be tried without Alpine, and is nothing to be shipped.
 */
async function musl(folder: string): Promise<Machine> {
  const libraries = "/usr/lib/x86_64-linux-gnu";
  needs({
    musl: "/lib/ld-musl-x86_64.so.1",
    "musl-tools": "/usr/bin/musl-gcc",
    "libstdc++6": `${libraries}/libstdc++.so.6`,
  });
  for (const name of ["libstdc++.so.6", "libgcc_s.so.1"]) copyFileSync(join(libraries, name), join(folder, name));
  writeFileSync(join(folder, "glibc-names.c"), GLIBC_NAMES);
  const library = join(folder, "ld-linux-x86-64.so.2");
  await run(["musl-gcc", "-shared", "-fPIC", "-o", library, join(folder, "glibc-names.c")]);
  const env = { LD_LIBRARY_PATH: folder };
  // The list of names is that of Debian 12; a newer libstdc++ may need more.
  await run(["/lib/ld-musl-x86_64.so.1", "--list", join(folder, "libstdc++.so.6")], { env }).catch((error: Error) => {
    throw new CannotRun(`this machine's libstdc++ does not load into musl: ${error.message.split("\n").at(-2)}`);
  });
  return { ...PLAIN, name: "Debian's musl with glibc's libstdc++", env };
}

const GLIBC_NAMES = `
#include <locale.h>
#include <stdint.h>
#include <sys/random.h>
#include <time.h>
char __libc_single_threaded = 0;
unsigned __cpu_model[4];
unsigned __cpu_features2[8];
int __cpu_indicator_init(void) { return 0; }
int _dl_find_object(void *address, void *result) { return -1; }
int __cxa_thread_atexit_impl(void (*end)(void *), void *object, void *handle) { return 0; }
uint32_t arc4random(void) {
  uint32_t number = 0;
  getrandom(&number, sizeof number, 0);
  return number;
}
size_t __strftime_l(char *text, size_t size, const char *format, const struct tm *time, locale_t locale) {
  return strftime_l(text, size, format, time, locale);
}
`;

/** Windows' calls on Linux. Debian's wine lacks one library that the runtime imports, with one function. */
async function wine(folder: string): Promise<Machine> {
  const compiler = "x86_64-w64-mingw32-gcc";
  needs({ wine: "/usr/bin/wine", wine64: "/usr/lib/wine/wine64", "gcc-mingw-w64-x86-64": `/usr/bin/${compiler}` });
  const home = join(folder, "wine");
  mkdirSync(home);
  const env = { WINEARCH: "win64", WINEPREFIX: home, WINEDEBUG: "-all", HOME: folder };
  await run(["wine", "wineboot", "--init"], { env });
  writeFileSync(join(folder, "random.c"), SYSTEM_RANDOM);
  const library = join(home, "drive_c/windows/system32/bcryptprimitives.dll");
  await run([compiler, "-shared", "-o", library, join(folder, "random.c"), "-ladvapi32"]);
  const version = (await run(["wine", "--version"], { env })).trim().split(" ")[0] ?? "";
  return {
    name: version,
    prefix: ["wine"],
    env,
    // wine makes a Ctrl+C of it. Its pipes are none that the runtime can read, so the end of standard input is no way here.
    stop: "SIGINT",
    close: () => run(["wineserver", "--kill"], { env }).catch(nothing),
  };
}

const SYSTEM_RANDOM = `
int __stdcall SystemFunction036(void *bytes, unsigned long length);
__declspec(dllexport) int __stdcall ProcessPrng(void *bytes, unsigned long long length) {
  return SystemFunction036(bytes, (unsigned long)length);
}
`;

/** @param files by the Debian package that brings them */
function needs(files: Record<string, string>): void {
  const missing = Object.keys(files).filter((name) => !existsSync(files[name] ?? ""));
  if (missing.length > 0) throw new CannotRun(`needs ${missing.join(", ")} (apt-get install ${missing.join(" ")})`);
}
