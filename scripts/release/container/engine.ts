import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Ended, run, runToEnd } from "../run.ts";

/** buildah and podman with their own store: they see no other images and containers, and leave none. They need no daemon. */
export interface Engine {
  /** A folder for files of the caller; it is removed at the end. */
  readonly folder: string;
  buildah(...args: string[]): Promise<string>;
  podman(...args: string[]): Promise<string>;
  /** The same, whatever the exit code. */
  tryPodman(...args: string[]): Promise<Ended>;
  /** Runs a container, as `podman run` does. */
  tryRun(...args: string[]): Promise<Ended>;
  run(...args: string[]): Promise<string>;
  /** Removes everything. It does not throw, because that would hide the error that it follows: what remains is named on stderr. */
  close(): Promise<void>;
  /** The command that reaches the same containers from other programs, and its environment. */
  readonly podmanCommand: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

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

export function openEngine(): Engine {
  const folder = mkdtempSync(join(tmpdir(), "momo-image-"));
  const store = ["--root", join(folder, "store"), "--runroot", join(folder, "run")];
  for (const name of ["networks", "tmp"]) mkdirSync(join(folder, name));
  const conf = join(folder, "containers.conf");
  writeFileSync(conf, CONFIGURATION);
  const places = ["--network-config-dir", join(folder, "networks"), "--tmpdir", join(folder, "tmp")];
  const podmanCommand = ["podman", ...store, ...places, "--runtime", "runc"];
  const env = { PATH, CONTAINERS_CONF: conf };
  // A machine without systemd has no timers: the health check is run by hand.
  const runFlags = ["run", "--health-interval", "disable"];
  return {
    folder,
    podmanCommand,
    env,
    buildah: (...args) => run(["buildah", ...store, ...args], { env }),
    podman: (...args) => run([...podmanCommand, ...args], { env }),
    tryPodman: (...args) => runToEnd([...podmanCommand, ...args], { env }),
    tryRun: (...args) => runToEnd([...podmanCommand, ...runFlags, ...args], { env }),
    run: (...args) => run([...podmanCommand, ...runFlags, ...args], { env }),
    async close() {
      await runToEnd([...podmanCommand, "rm", "--all", "--force", "--time", "0", "--volumes"], { env });
      await runToEnd([...podmanCommand, "network", "prune", "--force"], { env });
      await runToEnd([...podmanCommand, "unmount", "--all", "--force"], { env });
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
