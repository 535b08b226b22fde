import { deepEqual, equal, match } from "node:assert/strict";
import { chmodSync, chownSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { until } from "../../../test/support/waiting.ts";
import { type Ended, payment } from "../run.ts";
import type { Engine } from "./engine.ts";

/** Tries the image in containers without a network except loopback. Each trial throws an error that says what is wrong. */

export type Trial = (engine: Engine, image: string) => Promise<unknown>;

/** The fewest rights that a container can have. */
const CONFINED = [
  ...["--read-only", "--read-only-tmpfs=false", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"],
  ...["--memory", "96m", "--pids-limit", "64"],
];
const OFFLINE = ["--network", "none"];

const KEY = { MOMO_API_KEY: `mk_${"k".repeat(20)}`, MOMO_API_SECRET: `ms_${"s".repeat(40)}` };

export const flagsOf = (env: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries(env).flatMap(([name, value]) => ["--env", `${name}=${value}`]);

export const TRIALS: Record<string, Trial> = {
  "read-only, without capabilities and with 96 MB it serves, a payment ends with 0, a cancelled one with 11, SIGTERM with 0":
    async (engine, image) => {
      const container = await start(engine, "confined", [...CONFINED, ...OFFLINE], image);
      equal(await engine.podman("exec", container, "momo", ...payment("completed")), "completed\n");
      const cancelled = await engine.tryPodman("exec", container, "momo", ...payment("cancelled"));
      equal(cancelled.exitCode, 11, cancelled.stderr);
      equal((await engine.podman("exec", container, "momo", "list", "--format", "tsv")).trim().split("\n").length, 3);
      equal((await engine.tryPodman("healthcheck", "run", container)).exitCode, 0);
      await engine.podman("kill", "--signal", "TERM", container);
      equal((await engine.podman("wait", container)).trim(), "0");
      const state = await engine.podman("inspect", container, "--format", "{{.State.OOMKilled}} {{.Config.User}}");
      equal(state.trim(), "false 65532:65532");
    },

  "SIGINT ends it with 0, too: it is process 1 and handles signals itself": async (engine, image) => {
    const container = await start(engine, "interrupted", OFFLINE, image);
    await engine.podman("kill", "--signal", "INT", container);
    equal((await engine.podman("wait", container)).trim(), "0");
  },

  "kill -9 and a restart keep the key and the payment": async (engine, image) => {
    const container = await start(engine, "killed", [...CONFINED, ...OFFLINE, "--volume", "kept:/data"], image);
    const before = await envOf(engine, container);
    await engine.podman("exec", container, "momo", ...payment("completed"), "--reference", "ORDER-9");
    await engine.podman("kill", "--signal", "KILL", container);
    equal((await engine.podman("wait", container)).trim(), "137");
    await engine.podman("start", container);
    await healthy(engine, container);
    equal((await envOf(engine, container)).MOMO_API_KEY, before.MOMO_API_KEY);
    match(await engine.podman("exec", container, "momo", "list", "--search", "ORDER-9", "--json"), /"total_items":1,/);

    const second = await engine.tryRun("--rm", ...OFFLINE, "--volume", "kept:/data", image);
    refused(second, 1, /^momo: \/data\/momo is in use by another momo /m);
    await remove(engine, container);
  },

  "the first key of the environment is the key of the sandbox": async (engine, image) => {
    const container = await start(engine, "known", [...OFFLINE, ...flagsOf(KEY)], image);
    const { MOMO_API_KEY, MOMO_API_SECRET } = await envOf(engine, container);
    deepEqual({ MOMO_API_KEY, MOMO_API_SECRET }, KEY);
    await remove(engine, container);
  },

  "a folder that only root can write, a read-only volume, and a volume of others as MOMO_DATA are refused": async (
    engine,
    image,
  ) => {
    const closed = volumeOf(engine, "closed", 0, 0o755);
    refused(await engine.tryRun("--rm", ...OFFLINE, ...closed, image), 1, /^momo: \/data\/momo\S* .*EACCES/m);
    const readOnly = await engine.tryRun("--rm", ...OFFLINE, "--volume", "sealed:/data:ro", image);
    refused(readOnly, 1, /^momo: \/data\/momo\S* .*EROFS/m);
    const flags = [...OFFLINE, ...volumeOf(engine, "open", 0, 0o777), "--env", "MOMO_DATA=/data"];
    const foreign = await engine.tryRun("--rm", ...flags, image);
    refused(foreign, 1, /^momo: \/data belongs to another user \(uid 0\)/m);
    match(foreign.stderr, /^ {6}name a folder in it, which will be yours: MOMO_DATA=\/data\/momo$/m);
  },

  "it works with the volumes of Kubernetes and OpenShift, and as any user": async (engine, image) => {
    for (const [name, flags] of Object.entries({
      "fs-group": [...volumeOf(engine, "fs-group", 1000, 0o2775), "--group-add", "1000"],
      "empty-dir": volumeOf(engine, "empty-dir", 0, 0o777),
      openshift: [...volumeOf(engine, "openshift", 0, 0o775), "--user", "1000660000:0"],
      tmpfs: ["--user", "1000", "--tmpfs", "/data"],
      "no-volume": ["--user", "12345:12345"],
    })) {
      const container = await start(engine, name, [...OFFLINE, ...flags], image);
      equal(await engine.podman("exec", container, "momo", ...payment("completed")), "completed\n");
      await remove(engine, container);
    }
  },

  "its health check and docker exec find the server, whatever its options": async (engine, image) => {
    for (const [name, flags, words = []] of [
      ["ephemeral", [...CONFINED, "--tmpfs", "/tmp", "--env", "MOMO_SERVE_EPHEMERAL=1", "--user", "1000:1000"]],
      ["other-data", CONFINED, ["--data", "/data/sub"]],
      ["other-variables", ["--env", "MOMO_SERVE_PORT=8080", "--env", "MOMO_SERVE_BASE_PATH=/api"]],
      ["other-ports", CONFINED, ["--port", "0", "--control-port", "9000", "--host", "127.0.0.1"]],
    ] as const) {
      await engine.run("--detach", "--name", name, ...OFFLINE, ...flags, image, "serve", ...words);
      await healthy(engine, name);
      equal((await engine.tryPodman("healthcheck", "run", name)).exitCode, 0, name);
      equal(await engine.podman("exec", name, "momo", ...payment("completed")), "completed\n");
      await remove(engine, name);
    }
  },

  "a temporary sandbox in a read-only container needs a file system for /tmp": async (engine, image) => {
    const flags = [...CONFINED, ...OFFLINE, "--env", "MOMO_SERVE_EPHEMERAL=1"];
    const without = await engine.tryRun("--rm", ...flags, image);
    equal(without.exitCode, 1, without.stderr);
    match(without.stderr, /^momo: .*\/tmp/m);
    const container = "temporary";
    await engine.run("--detach", "--name", container, ...flags, "--tmpfs", "/tmp", image, "serve", "--json");
    await until(
      async () => (await engine.tryPodman("logs", container)).stdout,
      (log) => log.includes('"base_url"'),
    );
    await engine.podman("kill", "--signal", "TERM", container);
    equal((await engine.podman("wait", container)).trim(), "0");
  },
};

/** The flags for a folder of root and of a group at /data. */
function volumeOf(engine: Engine, name: string, group: number, mode: number): string[] {
  const folder = join(engine.folder, name);
  mkdirSync(folder);
  chownSync(folder, 0, group);
  chmodSync(folder, mode);
  return ["--volume", `${folder}:/data`];
}

/** Starts a container, and returns its name when it is healthy. */
export async function start(engine: Engine, name: string, flags: readonly string[], image: string): Promise<string> {
  await engine.run("--detach", "--name", name, ...flags, image);
  await healthy(engine, name);
  return name;
}

export async function healthy(engine: Engine, container: string): Promise<void> {
  await until(
    async () => {
      const health = await engine.tryPodman("exec", container, "momo", "health");
      if (health.exitCode === 0) return "healthy";
      const state = await engine.podman("inspect", container, "--format", "{{.State.Status}}");
      const { stdout, stderr } = await engine.tryPodman("logs", container);
      if (state.trim() === "exited") throw new Error(`the container has ended:\n${stderr}${stdout}`);
      return `${stderr}${stdout}`;
    },
    (found) => found === "healthy",
  );
}

async function envOf(engine: Engine, container: string): Promise<Record<string, string>> {
  return JSON.parse(await engine.podman("exec", container, "momo", "env", "--json"));
}

export async function remove(engine: Engine, container: string): Promise<void> {
  await engine.podman("rm", "--force", "--volumes", "--time", "5", container);
}

function refused({ stderr, exitCode }: Ended, expected: number, message: RegExp): void {
  equal(exitCode, expected, stderr);
  match(stderr, message);
  equal(/^\s+at .*:\d+/m.test(stderr), false, `a stack trace: ${stderr}`);
}
