/** A system that momo is built for. */
export interface Target {
  /** As in the names of archives and packages: `linux-x64-musl`. */
  readonly name: string;
  readonly os: "linux" | "darwin" | "win32";
  readonly cpu: "x64" | "arm64";
  /** The C library, if a system has two. */
  readonly libc: "glibc" | "musl" | null;
  /** The package with Bun's runtime for it; package-lock.json pins its checksum. */
  readonly runtime: string;
  /** The name for Bun's compiler. */
  readonly compileTarget: Bun.Build.CompileTarget;
  readonly executable: "momo" | "momo.exe";
  readonly archive: string;
}

function target(os: Target["os"], cpu: Target["cpu"], libc: Target["libc"] = null): Target {
  const musl = libc === "musl" ? "-musl" : "";
  const system = os === "win32" ? "windows" : os;
  const name = `${system}-${cpu}${musl}`;
  return {
    name,
    os,
    cpu,
    libc,
    runtime: `@oven/bun-${system}-${cpu === "arm64" ? "aarch64" : "x64"}${musl}`,
    compileTarget: `bun-${name}` as Bun.Build.CompileTarget,
    executable: os === "win32" ? "momo.exe" : "momo",
    archive: `momo-${name}.${os === "win32" ? "zip" : "tar.gz"}`,
  };
}

/** All systems. Older processors need no separate build: since 1.4, Bun has one runtime for all x64 processors. */
export const TARGETS: readonly Target[] = [
  target("linux", "x64", "glibc"),
  target("linux", "arm64", "glibc"),
  target("linux", "x64", "musl"),
  target("linux", "arm64", "musl"),
  target("darwin", "x64"),
  target("darwin", "arm64"),
  target("win32", "x64"),
  target("win32", "arm64"),
];

/** The targets that a command line names; all if it names none. */
export function chosenTargets(names: readonly string[]): readonly Target[] {
  const unknown = names.filter((name) => !TARGETS.some((one) => one.name === name));
  if (unknown.length > 0) {
    const known = TARGETS.map(({ name }) => name).join(", ");
    throw new Error(`there is no target ${unknown.join(", ")}; the targets are ${known}`);
  }
  return TARGETS.filter(({ name }) => names.length === 0 || names.includes(name));
}
