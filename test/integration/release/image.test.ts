import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, chownSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import { makeFolders } from "../../../scripts/release/image.ts";
import { payment } from "../../../scripts/release/run.ts";
import { builtBinary, ROOT } from "../../support/binary.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { type Run, runToEnd } from "../../support/momo.ts";
import { describeWith, named, PLACES } from "../../support/needs.ts";
import { rejectionOf, until } from "../../support/waiting.ts";

/**
 * The image of the Dockerfile, in containers without a network. Its bases cannot be downloaded everywhere: the executable of the
 * tests stands for the stage that builds, and the C library of this machine for the base.
 */

/** The files of the system that momo needs, all of glibc. */
const GLIBC =
  process.arch === "arm64"
    ? { loader: "/lib/ld-linux-aarch64.so.1", libraries: "/lib/aarch64-linux-gnu" }
    : { loader: "/lib64/ld-linux-x86-64.so.2", libraries: "/lib/x86_64-linux-gnu" };
const LIBRARIES = ["libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0"];

/** Limits that a process without privileges can set; the default limits are higher. */
const CONFIGURATION = `
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[network]
network_backend = "netavark"
`;

/** The fewest rights that a container can have. */
const CONFINED = [
  ...["--read-only", "--read-only-tmpfs=false", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
  ...["--memory", "96m", "--pids-limit", "64"],
];
const OFFLINE = ["--network", "none"];
const IMAGE = "localhost/momo";

type Variables = Readonly<Record<string, string>>;
/** A recipe in docs/examples: each has one of these. */
interface Recipe {
  readonly services: { momo: { env: Variables; environment: Variables }; shop: { environment: Variables } };
  readonly env: Variables;
  readonly steps: readonly { run?: string }[];
  readonly test: { variables: Variables };
}

const why = whyNoContainers();
describe.skipIf(why !== "")(named("the container image", why), () => {
  describeWith(["podman", "netavark", "runc"], "in containers", () => {
    let folder = "";
    /** Runs podman with a store of its own: it sees no other images and containers, and leaves none. */
    const tryPodman = (...args: string[]): Promise<Run> => {
      const store = `--root ${folder}/store --runroot ${folder}/run --tmpdir ${folder}/tmp --runtime runc`.split(" ");
      const env = { PATH: PLACES, CONTAINERS_CONF: join(folder, "containers.conf") };
      return runToEnd(["podman", ...store, ...args], { env });
    };
    const podman = async (...args: string[]): Promise<string> => {
      const { stdout, stderr, exitCode } = await tryPodman(...args);
      if (exitCode !== 0) throw new Error(`podman ${args.join(" ")} ended with ${exitCode}: ${stderr}${stdout}`);
      return stdout;
    };
    // A machine without systemd has no timers: the health check is run by hand.
    const RUN = ["run", "--health-interval", "disable", ...OFFLINE];
    const runToItsEnd = (...flags: string[]) => tryPodman(...RUN, "--rm", ...flags);

    /** Starts a container, and waits until its health check succeeds. */
    const start = async (name: string, flags: readonly string[], words: readonly string[] = []): Promise<void> => {
      await podman(...RUN, "--detach", "--name", name, ...flags, IMAGE, ...words);
      await healthy(name);
    };
    const healthy = (name: string) =>
      until(
        async () => {
          const { exitCode } = await tryPodman("healthcheck", "run", name);
          if (exitCode === 0) return exitCode;
          const state = await podman("inspect", name, "--format", "{{.State.Status}}");
          if (state.trim() === "exited")
            throw new Error(`the container has ended: ${(await tryPodman("logs", name)).stderr}`);
          return exitCode;
        },
        (exitCode) => exitCode === 0,
      );
    const pays = async (name: string) =>
      expect(await podman("exec", name, "momo", ...payment("completed"))).toBe("completed\n");
    const remove = (name: string) => podman("rm", "--force", "--volumes", "--time", "5", name);
    const stopsBy = async (name: string, signal: string, exitCode: string) => {
      await podman("kill", "--signal", signal, name);
      expect((await podman("wait", name)).trim()).toBe(exitCode);
    };

    beforeAll(async () => {
      folder = newFolder();
      for (const name of ["tmp", "base/tmp", "stage"]) mkdirSync(join(folder, name), { recursive: true });
      writeFileSync(join(folder, "containers.conf"), CONFIGURATION);
      later(() =>
        until(
          () => rejectionOf(removeStore()),
          (error) => error === null,
        ),
      );
      later(() => tryPodman("rm", "--all", "--force", "--time", "0", "--volumes"));

      const files = [GLIBC.loader, ...LIBRARIES.map((name) => join(GLIBC.libraries, name))];
      for (const file of files) cpSync(file, join(folder, "base", file), { dereference: true });
      chmodSync(join(folder, "base/tmp"), 0o1777);
      const { executable, texts } = makeFolders(join(folder, "stage/momo/dist/image"));
      cpSync(await builtBinary(), executable);
      cpSync(join(ROOT, "LICENSE"), join(texts, "LICENSE"));

      const build = ["build", "--quiet", "--isolation", "chroot", "--pull=never"];
      writeFileSync(join(folder, "Basefile"), "FROM scratch\nCOPY . /\n");
      await podman(...build, "--file", join(folder, "Basefile"), "--tag", "localhost/base", join(folder, "base"));
      const base = /^FROM (\S+)$/m.exec(readFileSync(join(ROOT, "Dockerfile"), "utf8"))?.[1] ?? "";
      const instead = { build: join(folder, "stage"), [base]: "container-image://localhost/base" };
      const contexts = Object.entries(instead).flatMap(([name, place]) => ["--build-context", `${name}=${place}`]);
      await podman(...build, "--format", "docker", ...contexts, "--tag", IMAGE, ROOT);
    });
    afterAll(cleanUp);

    test("it serves read-only, without capabilities and with 96 MB, and SIGTERM and SIGINT end it with 0", async () => {
      await start("confined", CONFINED);
      await pays("confined");
      const cancelled = await tryPodman("exec", "confined", "momo", ...payment("cancelled"));
      expect(cancelled.exitCode, cancelled.stderr).toBe(11);
      await stopsBy("confined", "TERM", "0");
      const state = await podman("inspect", "confined", "--format", "{{.State.OOMKilled}} {{.Config.User}}");
      expect(state.trim()).toBe("false 65532:65532");
      await podman("start", "confined");
      await healthy("confined");
      await stopsBy("confined", "INT", "0");
    });

    test("kill -9 and a restart keep the key and the payment, and a second container on the volume is refused", async () => {
      await start("killed", [...CONFINED, "--volume", "kept:/data"]);
      const keyOf = async () => /MOMO_API_KEY=\S+/.exec(await podman("exec", "killed", "momo", "env"))?.[0];
      const before = await keyOf();
      await podman("exec", "killed", "momo", ...payment("completed"), "--reference", "ORDER-9");
      await stopsBy("killed", "KILL", "137");
      await podman("start", "killed");
      await healthy("killed");
      expect(await keyOf()).toBe(before ?? "a key");
      expect(await podman("exec", "killed", "momo", "list", "--search", "ORDER-9", "--json")).toContain(
        '"total_items":1,',
      );
      const second = await runToItsEnd("--volume", "kept:/data", IMAGE);
      expect(second.exitCode).toBe(1);
      expect(second.stderr).toMatch(/^momo: \/data\/momo is in use by another momo /m);
    });

    test.each([
      ["a folder that only root can write", () => volume("closed", 0, 0o755), /^momo: \/data\/momo\S* .*EACCES/m],
      ["a read-only volume", () => ["--volume", "sealed:/data:ro"], /^momo: \/data\/momo\S* .*EROFS/m],
      [
        "a volume of others as MOMO_DATA",
        () => [...volume("open", 0, 0o777), "--env", "MOMO_DATA=/data"],
        /^momo: \/data belongs to another user \(uid 0\)[\s\S]*MOMO_DATA=\/data\/momo$/m,
      ],
      [
        "a temporary sandbox without a file system for /tmp",
        () => [...CONFINED, "--env", "MOMO_SERVE_EPHEMERAL=1"],
        /^momo: .*\/tmp/m,
      ],
    ])("%s is refused", async (_, flags, message) => {
      const { exitCode, stderr } = await runToItsEnd(...flags(), IMAGE);
      expect(stderr).toMatch(message);
      expect(stderr).not.toMatch(/^\s+at .*:\d+/m);
      expect(exitCode).toBe(1);
    });

    test.each<[string, () => string[], string[]?]>([
      ["the volumes of Kubernetes (fsGroup)", () => [...volume("fs-group", 1000, 0o2775), "--group-add", "1000"]],
      ["the volumes of Kubernetes (emptyDir)", () => volume("empty-dir", 0, 0o777)],
      ["the users of OpenShift", () => [...volume("openshift", 0, 0o775), "--user", "1000660000:0"]],
      ["any user, without a volume", () => ["--user", "12345:12345"]],
      [
        "a file system in memory, confined, as any user",
        () => [...CONFINED, "--tmpfs", "/data", "--user", "1000:1000"],
      ],
      [
        "another directory, and options by variables",
        () => [
          ...CONFINED,
          ...flagsOf({ MOMO_DATA: "/data/sub", MOMO_SERVE_PORT: "8080", MOMO_SERVE_BASE_PATH: "/api" }),
        ],
      ],
      ["other ports", () => CONFINED, ["--port", "0", "--control-port", "9000", "--host", "127.0.0.1"]],
    ])("its health check and docker exec momo pay work with %s", async (name, flags, words = []) => {
      const container = name.replaceAll(/\W+/g, "-");
      await start(container, flags(), words.length > 0 ? ["serve", ...words] : []);
      await pays(container);
      await remove(container);
    });

    test.each([
      [
        "github-services.yaml",
        ({ services, env, steps }) => {
          const lines = steps.map(({ run = "" }) => run).join("");
          const given = [...lines.matchAll(/echo "(\w+)=(.*)" >>/g)].map(
            ([, name, value = ""]) => [name, value.replace(/\$\{\{.*\}\}/, "2547")] as const,
          );
          return { server: services.momo.env, client: { ...env, ...Object.fromEntries(given) } };
        },
      ],
      ["gitlab.yaml", (recipe) => ({ server: recipe.test.variables, client: recipe.test.variables })],
      ["compose.yaml", ({ services: { momo, shop } }) => ({ server: momo.environment, client: shop.environment })],
    ] satisfies [string, (recipe: Recipe) => Record<"server" | "client", Variables>][])(
      "with the variables of %s, the client finds its key and the server",
      async (file, variablesOf) => {
        const recipe = YAML.parse(readFileSync(join(ROOT, "docs/examples", file), "utf8")) as Recipe;
        const { server, client } = variablesOf(recipe);
        // Without the network of the recipe, no name server knows the name of the service.
        await start(file, [...flagsOf(server), "--add-host", "momo:127.0.0.1"]);
        const variables = flagsOf(client).map((flag) => flag.replace("//momo:", "//127.0.0.1:"));
        const shop = ["run", "--rm", "--network", `container:${file}`, ...variables];
        const { stdout, stderr } = await tryPodman(...shop, IMAGE, ...payment("completed"));
        expect(stdout, stderr).toBe("completed\n");
        await remove(file);
      },
    );

    /** podman mounts its store, also in what it does after the end of a container. */
    async function removeStore(): Promise<void> {
      await runToEnd(["umount", "--lazy", join(folder, "store/overlay")]);
      rmSync(folder, { recursive: true, force: true });
    }

    /** The flags for a folder of root and of a group at /data. */
    function volume(name: string, group: number, mode: number): string[] {
      const path = join(folder, name);
      mkdirSync(path);
      chownSync(path, 0, group);
      chmodSync(path, mode);
      return ["--volume", `${path}:/data`];
    }
  });
});

const flagsOf = (env: Variables): string[] =>
  Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);

function whyNoContainers(): string {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "only root on Linux can build it";
  // A program that enters a container from a chroot finds the root of the machine instead.
  const own = ["stat", "--format", "%d:%i", "/"];
  const [inside, entered] = [own, ["nsenter", "--mount=/proc/self/ns/mnt", ...own]].map((command) =>
    Bun.spawnSync(command).stdout.toString(),
  );
  return inside === entered ? "" : "podman cannot enter a container in a chroot";
}
