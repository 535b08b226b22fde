import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** An npm registry on this machine, with nothing but what is published to it. */
export interface Registry {
  readonly url: string;
  stop(): Promise<void>;
}

const LIMIT = "200mb";
const PATIENCE_MS = 60_000;

/**
 * @param clients the folder whose node_modules has verdaccio, which runs in Bun
 * @param folder an empty one
 */
export async function startRegistry(clients: string, folder: string): Promise<Registry> {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, "config.json");
  writeFileSync(
    config,
    JSON.stringify({
      storage: join(folder, "storage"),
      auth: { htpasswd: { file: join(folder, "htpasswd") } },
      packages: { "**": { access: "$all", publish: "$all" } },
      max_body_size: LIMIT,
      log: { type: "stdout", format: "pretty", level: "warn" },
    }),
  );
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/`;
  const program = join(clients, "node_modules/verdaccio/bin/verdaccio");
  const child = Bun.spawn([process.execPath, program, "--config", config, "--listen", `127.0.0.1:${port}`], {
    cwd: folder,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  });
  const lateAtMs = performance.now() + PATIENCE_MS;
  while (!(await fetch(`${url}-/ping`).catch(() => null))?.ok) {
    if (child.exitCode !== null) throw new Error(`verdaccio ended: ${await new Response(child.stderr).text()}`);
    if (performance.now() > lateAtMs) throw new Error("verdaccio does not answer");
    await Bun.sleep(100);
  }
  return {
    url,
    async stop() {
      child.kill();
      await child.exited;
    },
  };
}

/** Free a moment ago: neither verdaccio nor docker-registry says which port it took. */
export async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  return port ?? 0;
}
