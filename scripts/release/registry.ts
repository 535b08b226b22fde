import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "./run.ts";

/** An npm registry on this machine, which has only the packages that are published to it. */
export interface Registry {
  readonly url: string;
  stop(): Promise<void>;
}

const LIMIT = "200mb";

/**
 * @param clients the folder whose node_modules has verdaccio, which runs in Bun
 * @param folder an empty folder
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
    stderr: "inherit",
  });
  const stop = async () => {
    child.kill();
    await child.exited;
  };
  const isReady = async () => (await fetch(`${url}-/ping`).catch(() => null))?.ok === true;
  await until(isReady, async () => {
    await stop();
    return `nothing answers at ${url}`;
  });
  return { url, stop };
}

/** A port that is free at this moment, for servers that do not report their port. */
export async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  return port ?? 0;
}
