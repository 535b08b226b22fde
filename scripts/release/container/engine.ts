import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run, runToEnd } from "../run.ts";

export type Engine = ReturnType<typeof openEngine>;

/** With Debian's folders for programs of administrators. */
const PATH = `${process.env.PATH ?? ""}:/usr/sbin:/sbin`;

/** Where podman and buildah look for their helpers. */
const HELPERS = "/usr/local/libexec/podman:/usr/local/lib/podman:/usr/libexec/podman:/usr/lib/podman";

/** Limits that a process without privileges can set; the default limits are higher. */
const CONFIGURATION = `
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[network]
network_backend = "netavark"
`;

/** @returns the programs that are missing to build images, to run them, and for what else the caller does */
export function missingPrograms(others: readonly string[] = []): string[] {
  const programs = ["buildah", "skopeo", "podman", "runc", "netavark", ...others];
  return programs.filter((program) => Bun.which(program, { PATH: `${PATH}:${HELPERS}` }) === null);
}

/** buildah and podman with their own store: they see no other images and containers, and leave none. They need no daemon. */
export function openEngine() {
  const folder = mkdtempSync(join(tmpdir(), "momo-image-"));
  const store = ["--root", join(folder, "store"), "--runroot", join(folder, "run")];
  for (const name of ["networks", "tmp"]) mkdirSync(join(folder, name));
  const conf = join(folder, "containers.conf");
  writeFileSync(conf, CONFIGURATION);
  const places = ["--network-config-dir", join(folder, "networks"), "--tmpdir", join(folder, "tmp")];
  const podmanCommand = ["podman", ...store, ...places, "--runtime", "runc"];
  const env = { PATH, CONTAINERS_CONF: conf };
  const podman = (...args: string[]) => run([...podmanCommand, ...args], { env });
  const tryPodman = (...args: string[]) => runToEnd([...podmanCommand, ...args], { env });
  // A machine without systemd has no timers: the health check is run by hand.
  const runFlags = ["run", "--health-interval", "disable"];
  return {
    /** A folder for files of the caller; it is removed at the end. */
    folder,
    /** The command that reaches the same containers from other programs, and its environment. */
    podmanCommand,
    env,
    buildah: (...args: string[]) => run(["buildah", ...store, ...args], { env }),
    podman,
    /** The same, whatever the exit code. */
    tryPodman,
    /** Runs a container, as `podman run` does. */
    run: (...args: string[]) => podman(...runFlags, ...args),
    tryRun: (...args: string[]) => tryPodman(...runFlags, ...args),
    /** Removes everything. It does not throw, because that would hide the error that it follows: what remains is named on stderr. */
    async close() {
      await tryPodman("rm", "--all", "--force", "--time", "0", "--volumes");
      await tryPodman("network", "prune", "--force");
      await tryPodman("unmount", "--all", "--force");
      // After a failed build, a mount of buildah's stays.
      for (const mount of mountsBelow(folder)) await runToEnd(["umount", "--lazy", mount], { env });
      try {
        rmSync(folder, { recursive: true, force: true });
      } catch (error) {
        process.stderr.write(`${folder} remains: ${(error as Error).message}\n`);
      }
    },
  };
}

/** The last mount first, because it may be inside another one. */
function mountsBelow(folder: string): string[] {
  const places = readFileSync("/proc/self/mounts", "utf8").match(/(?<=^\S+ )\S+/gm) ?? [];
  const plain = places.map((place) => place.replaceAll("\\040", " "));
  return plain.filter((place) => place.startsWith(`${folder}/`)).reverse();
}
