import { equal } from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../../package.json" with { type: "json" };
import { answers, freePort } from "../registry.ts";
import { payment, run } from "../run.ts";
import { sumOf } from "../sums.ts";
import { type Engine, missingPrograms, openEngine } from "./engine.ts";
import { LeftOut, RECIPES } from "./recipes.ts";
import { healthy, TRIALS } from "./trials.ts";

/**
 * Tries dist/release/image like a user: from a registry, by its digest. It prints one line for each trial with its time, and ends
 * with 1 if one fails. It needs Linux, root, podman, docker-registry and iptables.
 */

const OUT = join(import.meta.dir, "../../../dist/release/image");

let failed = 0;
async function attempt(what: string, trial: () => Promise<unknown>): Promise<void> {
  const startedMs = performance.now();
  try {
    const found = await trial();
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    process.stdout.write(`ok    ${what} (${seconds} s)${typeof found === "string" ? `: ${found}` : ""}\n`);
  } catch (error) {
    const isLeftOut = error instanceof LeftOut;
    if (!isLeftOut) failed += 1;
    process.stdout.write(`${isLeftOut ? "left out" : "fails"} ${what}: ${(error as Error).message}\n`);
  }
}

async function main(engine: Engine): Promise<void> {
  const registry = await startRegistry(engine.folder);
  try {
    const digest = `sha256:${await sumOf(join(OUT, "manifest.json"))}`;
    const name = `${registry.address}/momo@${digest}`;
    const copy = ["skopeo", "copy", "--quiet", "--all", "--preserve-digests", "--dest-tls-verify=false"];
    await attempt("pushed to a registry, both processors", async () => {
      await run([...copy, `dir:${OUT}`, `docker://${registry.address}/momo:${manifest.version}`]);
      return digest;
    });
    await attempt("pulled by its digest", async () => {
      await engine.podman("pull", "--quiet", "--tls-verify=false", name);
      const all = readdirSync(OUT).reduce((sum, file) => sum + statSync(join(OUT, file)).size, 0);
      return `${Math.round(all / 2 / 1e6)} MB for each processor`;
    });
    await engine.podman("tag", name, "localhost/momo:tried");
    for (const [what, trial] of Object.entries({ ...TRIALS, ...RECIPES })) {
      await attempt(what, () => trial(engine, "localhost/momo:tried"));
    }
    await attempt("the other processor, emulated", () => tryOther(engine, name));
  } finally {
    await registry.close();
  }
}

async function tryOther(engine: Engine, name: string): Promise<string> {
  const [processor, emulator] = process.arch === "x64" ? ["arm64", "qemu-aarch64"] : ["amd64", "qemu-x86_64"];
  if (!existsSync(`/proc/sys/fs/binfmt_misc/${emulator}`)) {
    throw new LeftOut(`${emulator} is not registered: Debian's package qemu-user-static has it, with binfmt-support`);
  }
  const flags = ["--platform", `linux/${processor}`, "--tls-verify=false", "--network", "none"];
  await engine.run("--detach", "--name", "other", ...flags, name);
  await healthy(engine, "other");
  equal((await engine.podman("exec", "other", "momo", ...payment("completed"))).trim(), "completed");
  equal((await engine.tryPodman("exec", "other", "momo", ...payment("cancelled"))).exitCode, 11);
  await engine.podman("kill", "--signal", "TERM", "other");
  equal((await engine.podman("wait", "other")).trim(), "0");
  return processor;
}

/** Starts a registry on a free port of this machine. */
async function startRegistry(folder: string): Promise<{ address: string; close(): Promise<void> }> {
  const program = Bun.which("docker-registry") ?? Bun.which("registry");
  if (program === null) throw new Error("missing: docker-registry; Debian has a package of this name");
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const file = join(folder, "registry.yml");
  const storage = `storage: {filesystem: {rootdirectory: ${join(folder, "registry")}}}`;
  writeFileSync(file, `version: 0.1\nlog: {level: error}\n${storage}\nhttp: {addr: "${address}"}\n`);
  const child = Bun.spawn([program, "serve", file], { stdout: "ignore", stderr: "ignore" });
  const close = async () => {
    child.kill();
    await child.exited;
  };
  await answers(`http://${address}/v2/`, child);
  return { address, close };
}

const missing = missingPrograms();
if (!existsSync(OUT)) missing.push("dist/release/image (npm run release:image)");
if (missing.length > 0) {
  process.stderr.write(`missing: ${missing.join(", ")}\n`);
  process.exitCode = 1;
} else {
  const { manifests } = JSON.parse(readFileSync(join(OUT, "manifest.json"), "utf8")) as {
    manifests: { platform: { architecture: string } }[];
  };
  process.stdout.write(`the image is for ${manifests.map(({ platform }) => platform.architecture).join(", ")}\n`);
  const engine = openEngine();
  try {
    await main(engine);
  } finally {
    await engine.close();
  }
  process.exitCode = failed > 0 ? 1 : 0;
}
