import { deepEqual, equal, match } from "node:assert/strict";
import { mkdirSync } from "node:fs";
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
    refused(second, 1, /^momo: \/data is in use by another momo /m);
    await remove(engine, container);
  },

  "the first key of the environment is the key of the sandbox": async (engine, image) => {
    const container = await start(engine, "known", [...OFFLINE, ...flagsOf(KEY)], image);
    const { MOMO_API_KEY, MOMO_API_SECRET } = await envOf(engine, container);
    deepEqual({ MOMO_API_KEY, MOMO_API_SECRET }, KEY);
    await remove(engine, container);
  },

  "a folder of root, a read-only volume and another user are refused, and the refusal says what to do": async (
    engine,
    image,
  ) => {
    const folder = join(engine.folder, "of-root");
    mkdirSync(folder, { recursive: true });
    const hint = /^ {6}choose another folder .* run momo as that user, or make it yours with chown/m;
    const foreign = await engine.tryRun("--rm", ...OFFLINE, "--volume", `${folder}:/data`, image);
    refused(foreign, 1, /^momo: \/data belongs to another user \(uid 0\)/m);
    match(foreign.stderr, hint);
    const other = await engine.tryRun("--rm", ...OFFLINE, "--user", "12345:0", image);
    refused(other, 1, /^momo: \/data belongs to another user \(uid 65532\)/m);
    const readOnly = await engine.tryRun("--rm", ...OFFLINE, "--volume", "sealed:/data:ro", image);
    refused(readOnly, 1, /^momo: \/data\/\S+ cannot be opened for writing/m);
    match(readOnly.stderr, /^ {6}make the folder writable/m);
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
