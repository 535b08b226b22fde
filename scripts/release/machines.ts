import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "./run.ts";
import { TARGETS, type Target } from "./targets.ts";
import type { Stop } from "./trial.ts";

/** Runs the executable of a target on this machine. */
export interface Machine {
  /** For people: `qemu-aarch64 7.2.22`. */
  readonly name: string;
  readonly prefix: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stop: Stop;
  /** Ends the processes that the machine started. */
  close(): Promise<unknown>;
}

/** A target cannot run here. The message says what is missing, and how to get it. */
export class CannotRun extends Error {}

const HOST: Target | undefined = TARGETS.find(
  ({ os, cpu, libc }) => os === process.platform && cpu === process.arch && (libc === null || libc === libcOfHost()),
);

const nothing = async () => {};
const PLAIN = { prefix: [], env: {}, stop: "SIGTERM", close: nothing } as const;

/**
 * @param folder an empty folder for files of the machine
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
  throw new CannotRun(`needs another machine; this one is ${process.platform} on ${process.arch}`);
}

function libcOfHost(): "glibc" | "musl" {
  return existsSync("/lib64/ld-linux-x86-64.so.2") || existsSync("/lib/ld-linux-aarch64.so.1") ? "glibc" : "musl";
}

/** An emulated processor. Debian has the C library for it in a separate folder. */
async function qemu(): Promise<Machine> {
  const libraries = "/usr/aarch64-linux-gnu";
  needs({ "qemu-user-static": "/usr/bin/qemu-aarch64-static", "libc6-arm64-cross": `${libraries}/lib` });
  const version = /version (\S+)/.exec(await run(["qemu-aarch64-static", "--version"]))?.[1] ?? "";
  return { ...PLAIN, name: `qemu-aarch64 ${version}`, prefix: ["qemu-aarch64-static", "-L", libraries] };
}

/**
 * Debian's musl with Debian's libstdc++, which needs glibc: a small library defines the names that only glibc has. With it the
 * executable can be tried without Alpine. It is not part of a release.
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
  // These are the names that Debian 12 needs; a newer libstdc++ may need more.
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

/** Wine runs programs for Windows on Linux. Debian's wine lacks one library with one function that the runtime imports. */
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
    // wine turns this signal into Ctrl+C. The runtime cannot read its pipes, so the end of standard input would not be noticed.
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

/** @param files by the Debian package that has them */
function needs(files: Record<string, string>): void {
  const missing = Object.keys(files).filter((name) => !existsSync(files[name] ?? ""));
  if (missing.length > 0) throw new CannotRun(`needs ${missing.join(", ")} (apt-get install ${missing.join(" ")})`);
}
