import type { FFIFunction } from "bun:ffi";
import { readOrNull } from "./serving/files.ts";

/** The C library of Linux, which has another name with musl, and of macOS. */
const NAMES = ["libc.so.6", "libc.musl-x86_64.so.1", "libc.musl-aarch64.so.1", "libSystem.B.dylib"];

/** Functions of the system that the runtime does not have; null where there is no such library. */
export async function fromLibc<const Symbols extends Record<string, FFIFunction>>(symbols: Symbols) {
  const { dlopen } = await import("bun:ffi");
  for (const name of NAMES) {
    const library = readOrNull(() => dlopen(name, symbols));
    if (library !== null) return library.symbols;
  }
  return null;
}
