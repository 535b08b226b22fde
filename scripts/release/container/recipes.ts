import { equal, match } from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { YAML } from "bun";
import { until } from "../../../test/support/waiting.ts";
import { payment, run, runToEnd } from "../run.ts";
import type { Engine } from "./engine.ts";
import { flagsOf, healthy, remove, start, type Trial } from "./trials.ts";

/** Runs the container recipes in docs/examples, as far as possible without Docker, GitHub and GitLab. */

const EXAMPLES = join(import.meta.dir, "../../../docs/examples");
const NAME_IN_DOCUMENT = /ghcr\.io\/OWNER\/momo:[0-9.]+/g;
const PAY = payment("completed");

/** The first version of testcontainers that needs this version of Node. */
const PACKAGES = ["node@24.18.0", "testcontainers@12.2.0"];

interface Service {
  readonly env?: Record<string, string>;
  readonly alias?: string;
}
interface Recipe {
  readonly services: { momo: Service } & Service[];
  readonly env: Record<string, string>;
  readonly test: { services: Service[]; variables: Record<string, string> };
}

/** A recipe with the name of another image. */
const recipe = (file: string, image: string): string =>
  readFileSync(join(EXAMPLES, file), "utf8").replaceAll(NAME_IN_DOCUMENT, image);

export const RECIPES: Record<string, Trial> = {
  "GitLab: the service is reached by its alias, with the variables of the job": async (engine, image) => {
    const { test } = YAML.parse(recipe("gitlab.yaml", image)) as Recipe;
    await engine.podman("network", "create", "gitlab");
    const variables = flagsOf(test.variables);
    const network = ["--network", "gitlab"];
    const alias = ["--network-alias", test.services[0]?.alias ?? ""];
    const container = await start(engine, "gitlab", [...network, ...alias, ...variables], image);
    equal((await engine.run("--rm", ...network, ...variables, image, ...PAY)).trim(), "completed");
    match(await engine.run("--rm", ...network, ...variables, image, "rules", "list", "--json"), /"rules":\[\]/);
    await remove(engine, container);
  },

  "GitHub: the health check succeeds, a step finds the service by its variables, and only with them": async (
    engine,
    image,
  ) => {
    const { services, env } = YAML.parse(recipe("github-services.yaml", image)) as Recipe;
    const publish = ["--publish", "127.0.0.1::2547", "--health-interval", "disable"];
    await engine.podman("run", "--detach", "--name", "github", ...publish, ...flagsOf(services.momo.env), image);
    await until(
      () => engine.tryPodman("healthcheck", "run", "github"),
      ({ exitCode }) => exitCode === 0,
    );
    // A free port of this machine replaces the fixed port of the job.
    const address = (await engine.podman("port", "github", "2547/tcp")).trim();
    equal((await fetch(`http://${address}/_momo/health`)).status, 200);
    equal((await fetch(`http://${address}/_momo/clock`)).status, 401);
    const step = Object.entries(env).map(([name, value]) => [name, value.replace("127.0.0.1:2547", address)]);
    const momo = join(import.meta.dir, `../../../dist/release/linux-${process.arch}/momo`);
    equal((await run([momo, ...PAY], { env: Object.fromEntries(step) })).trim(), "completed");
    await remove(engine, "github");
  },

  "compose: the shop pays in the container that it depends on": async (engine, image) => {
    const folder = join(engine.folder, "compose");
    mkdirSync(folder);
    const text = recipe("compose.yaml", image)
      .replace("build: .", `image: ${image}\n    command: ${JSON.stringify(PAY)}`)
      .replace("127.0.0.1:2547:2547", "127.0.0.1::2547");
    writeFileSync(join(folder, "compose.yaml"), text);
    const options = { cwd: folder, env: withOwnPodman(engine, folder) };
    const compose = ["podman-compose", "--project-name", "shop", "--file", "compose.yaml"];
    // This podman-compose starts in the order of `depends_on`, but does not wait.
    await run([...compose, "up", "--detach", "momo"], options);
    const name = (await engine.podman("ps", "--filter", "name=shop_momo", "--format", "{{.Names}}")).trim();
    await healthy(engine, name);
    await run([...compose, "up", "--detach", "shop"], options);
    const shop = (await engine.podman("ps", "--all", "--filter", "name=shop_shop", "--format", "{{.Names}}")).trim();
    equal((await engine.podman("wait", shop)).trim(), "0");
    match((await engine.tryPodman("logs", shop)).stdout, /completed/);
    await run([...compose, "down", "--volumes"], options);
  },

  "testcontainers: a program starts the container, and starts a payment": async (engine, image) => {
    const folder = join(engine.folder, "testcontainers");
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), '{"type":"module"}');
    writeFileSync(join(folder, "try.js"), recipe("testcontainers.mjs", image));
    await run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", ...PACKAGES], { cwd: folder });
    const socket = join(engine.folder, "podman.sock");
    const service = Bun.spawn([...engine.podmanCommand, "system", "service", "--time", "0", `unix://${socket}`], {
      env: { ...process.env, ...engine.env },
      stdout: "ignore",
      stderr: "ignore",
    });
    try {
      await until(async () => existsSync(socket), Boolean);
      const node = join(folder, "node_modules/node/bin/node");
      // Ryuk, which removes containers, would need another image.
      const env = { DOCKER_HOST: `unix://${socket}`, TESTCONTAINERS_RYUK_DISABLED: "true" };
      const { stdout, stderr, exitCode } = await runToEnd([node, "try.js"], { cwd: folder, env });
      equal(exitCode, 0, stderr);
      match(stdout, /^ws_CO_/);
    } finally {
      service.kill();
      await service.exited;
    }
  },
};

/** An environment in which `podman` uses the store of the engine. */
function withOwnPodman(engine: Engine, folder: string): Record<string, string> {
  const bin = join(folder, "bin");
  mkdirSync(bin);
  const [, ...flags] = engine.podmanCommand;
  const real = Bun.which("podman") ?? "podman";
  writeFileSync(join(bin, "podman"), `#!/bin/sh\nexec '${real}' ${flags.map((flag) => `'${flag}'`).join(" ")} "$@"\n`);
  chmodSync(join(bin, "podman"), 0o755);
  return { ...engine.env, PATH: `${bin}:${engine.env.PATH}` };
}
