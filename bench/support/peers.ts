import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../test/support/postgres.ts";
import peersJson from "../peers/package.json" with { type: "json" };
import { start, stop } from "./processes.ts";
import type { Running } from "./servers.ts";
import { ROOT } from "./servers.ts";

const PEERS = join(ROOT, "bench/peers");
const program = (name: string): string => join(PEERS, "node_modules/.bin", name);

/** node:sqlite needs Node 22.13. */
const NODE = existsSync(join(PEERS, "node_modules/node-24/bin/node"))
  ? join(PEERS, "node_modules/node-24/bin/node")
  : "node";

/** The file of each in `bench/peers`. */
const FILES: Readonly<Record<string, string>> = { "Express and node:sqlite": "express.js" };

/** How each is started, from its own configuration in `bench/peers`, with as little logging as possible. */
const COMMANDS: Readonly<Record<string, (config: string, port: number, folder: string) => Promise<readonly string[]>>> =
  {
    mountebank: async (config, _port, folder) => [
      ...[program("mb"), "start", "--configfile", config, "--host", "127.0.0.1", "--port", String(await freePort())],
      ...["--nologfile", "--loglevel", "error", "--pidfile", join(folder, "mb.pid")],
    ],
    Mockoon: async (config, port) => [
      ...[program("mockoon-cli"), "start", "--data", config, "--port", String(port), "--hostname", "127.0.0.1"],
      ...["--disable-log-to-file", "--disable-admin-api", "--repair"],
    ],
    Prism: async (config, port) => [
      ...[program("prism"), "mock", config, "--host", "127.0.0.1", "--port", String(port), "--verboseLevel", "error"],
    ],
    "json-server": async (config, port) => [
      ...[program("json-server"), config, "--routes", join(PEERS, "json-server-routes.json"), "--host", "127.0.0.1"],
      ...["--port", String(port), "--quiet"],
    ],
    WireMock: async (config, port, folder) => {
      mkdirSync(join(folder, "mappings"));
      copyFileSync(config, join(folder, "mappings/stkpush.json"));
      return [
        ...[program("wiremock"), "--port", String(port), "--bind-address", "127.0.0.1", "--root-dir", folder],
        ...["--no-request-journal", "--disable-banner"],
      ];
    },
    "Express and node:sqlite": async (config, port, folder) => [
      ...[NODE, "--disable-warning=ExperimentalWarning", config, join(folder, "payments.db"), String(port)],
    ],
  };

export const arePeersInstalled = (): boolean => existsSync(program("mb")) && Bun.which("node") !== null;

/** Text above the table. */
export const peerVersions = (): string =>
  Object.entries(peersJson.dependencies)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");

/** Starts all of them, each on its own port, and returns when all answer. */
export async function startPeers(folder: string): Promise<(Running & { readonly name: string })[]> {
  return Promise.all(Object.entries(COMMANDS).map(([name, commandOf]) => startPeer(name, commandOf, folder)));
}

async function startPeer(name: string, commandOf: (typeof COMMANDS)[string], folder: string) {
  const port = await freePort();
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  // A copy, because json-server writes to it, and mountebank takes its port only from it.
  const file = FILES[name] ?? `${name.toLowerCase()}.json`;
  const original = join(PEERS, file);
  // A program stays beside its packages.
  const config = file.endsWith(".js") ? original : join(home, "config.json");
  if (name === "mountebank")
    writeFileSync(config, readFileSync(original, "utf8").replace('"port": 0', `"port": ${port}`));
  else if (config !== original) copyFileSync(original, config);
  const child = start(await commandOf(config, port, home), { cwd: home, stderr: "ignore" });
  void new Response(child.stdout).text(); // drains the pipe, so that it does not fill up
  const url = `http://127.0.0.1:${port}`;
  await answering(name, url);
  return { name, pid: child.pid, url, stop: () => stop(child) };
}

const PATIENCE_MS = 20_000;

async function answering(name: string, url: string): Promise<void> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const response = await fetch(`${url}/stkpush.php`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 100 }),
    }).catch(() => null);
    if (response?.ok) return;
    await Bun.sleep(50);
  }
  throw new Error(`${name} does not answer`);
}
