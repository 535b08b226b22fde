import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { freePort } from "../../test/support/postgres.ts";
import peersJson from "../peers/package.json" with { type: "json" };
import { payments } from "../support/load.ts";
import { type Claim, newData, ROOT, type Running, runningAt, start, startMomo } from "../support/servers.ts";
import { alternate, compare, figures, leftOut, median } from "../support/table.ts";

/** The same payments with what people would use instead. Only the hand-written Express service writes durably. */
export const peers: Claim = async (bench) => {
  if (!areInstalled()) {
    return [leftOut("against peers", "left out: npm install --prefix bench/peers --ignore-scripts installs them")];
  }
  const momo = await startMomo(bench, await newData(bench, "peers"));
  const started = Object.keys(COMMANDS).map(async (name) => [name, await startPeer(name, bench.folder)] as const);
  const others: Record<string, Running> = Object.fromEntries(await Promise.all(started));
  const contenders = { momo, ...others };
  await Promise.all(Object.values(contenders).map((contender) => payments(contender, 2)));
  const rounds = await alternate(bench.rounds, contenders, (contender: Running) => payments(contender, bench.seconds));
  await Promise.all(Object.values(contenders).map((contender) => contender.stop()));
  const { momo: rates, ...ofOthers } = figures(rounds, "perSecond");
  return Object.entries<number[]>(ofOthers)
    .toSorted(([, a], [, b]) => median(b) - median(a))
    .map(([against, limit], place) => {
      const claim = place === 0 ? "start a payment, against what else people use" : "";
      return compare(claim, "/s", { momo: rates, limit, against }, against === "mountebank" ? "≥ 3.5" : "-");
    });
};

const FOLDER = join(ROOT, "bench/peers");
const program = (name: string): string => join(FOLDER, "node_modules/.bin", name);
const areInstalled = (): boolean => existsSync(program("mb")) && Bun.which("node") !== null;

/** Text above the table. */
export const peerVersions = (): string => {
  const versions = Object.entries(peersJson.dependencies).map(([name, version]) => `${name} ${version}`);
  return `peers: ${areInstalled() ? versions.join(", ") : "not installed"}`;
};

/** node:sqlite needs Node 22.13. */
const OWN_NODE = join(FOLDER, "node_modules/node-24/bin/node");

/** What those answer that only answer. */
const ANSWER = {
  success: true,
  message: "STK push sent",
  checkout_request_id: "ws_CO_1",
  merchant_request_id: "ws_MR_1",
};
const HEADERS = { "Content-Type": "application/json" };

const mountebank = (port: number) => {
  const predicates = [{ equals: { method: "POST", path: "/stkpush.php" } }];
  const responses = [{ is: { statusCode: 200, headers: HEADERS, body: ANSWER } }];
  return {
    imposters: [
      { port, protocol: "http", host: "127.0.0.1", recordRequests: false, stubs: [{ predicates, responses }] },
    ],
  };
};

/** Mockoon and Prism read the same description. */
const OPENAPI = {
  openapi: "3.1.0",
  info: { title: "payments", version: "1" },
  paths: {
    "/stkpush.php": {
      post: {
        requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } },
        responses: {
          200: {
            description: "sent",
            content: { "application/json": { schema: { type: "object", example: ANSWER } } },
          },
        },
      },
    },
  },
};

const WIREMOCK = {
  request: { method: "POST", urlPath: "/stkpush.php" },
  response: { status: 200, headers: HEADERS, jsonBody: ANSWER },
};

/** Writes the configuration of a peer into its folder. */
function write(configuration: object, folder: string, file: string): string {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify(configuration));
  return path;
}

/** How each is started, with its own configuration, and with as little logging as possible. */
const COMMANDS: Readonly<Record<string, (folder: string, port: number) => string[]>> = {
  mountebank: (folder, port) => [
    ...[program("mb"), "start", "--configfile", write(mountebank(port), folder, "config.json")],
    ...["--host", "127.0.0.1", "--port", String(freePort())],
    ...["--nologfile", "--loglevel", "error", "--pidfile", join(folder, "mb.pid")],
  ],
  Mockoon: (folder, port) => [
    ...[program("mockoon-cli"), "start", "--data", write(OPENAPI, folder, "config.json"), "--port", String(port)],
    ...["--hostname", "127.0.0.1", "--disable-log-to-file", "--disable-admin-api", "--repair"],
  ],
  Prism: (folder, port) => [
    ...[program("prism"), "mock", write(OPENAPI, folder, "config.json"), "--host", "127.0.0.1"],
    ...["--port", String(port), "--verboseLevel", "error"],
  ],
  "json-server": (folder, port) => [
    ...[program("json-server"), write({ payments: [] }, folder, "config.json")],
    ...["--routes", write({ "/stkpush.php": "/payments" }, folder, "routes.json"), "--host", "127.0.0.1"],
    ...["--port", String(port), "--quiet"],
  ],
  WireMock: (folder, port) => {
    write(WIREMOCK, folder, "mappings/stkpush.json");
    return [
      ...[program("wiremock"), "--port", String(port), "--bind-address", "127.0.0.1", "--root-dir", folder],
      ...["--no-request-journal", "--disable-banner"],
    ];
  },
  "Express and node:sqlite": (folder, port) => [
    ...[existsSync(OWN_NODE) ? OWN_NODE : "node", "--disable-warning=ExperimentalWarning"],
    ...[join(FOLDER, "express.js"), join(folder, "payments.db"), String(port)],
  ],
};

const PATIENCE_MS = 60_000;

/** Starts one on a free port, and returns when it answers. */
async function startPeer(name: string, folder: string): Promise<Running> {
  const port = freePort();
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  const command = COMMANDS[name]?.(home, port) ?? [];
  const child = start(command, home);
  const url = `http://127.0.0.1:${port}`;
  const untilMs = performance.now() + PATIENCE_MS;
  while (!(await answers(url))) {
    if (performance.now() > untilMs) throw new Error(`${name} does not answer`);
    await Bun.sleep(50);
  }
  return runningAt(url, child);
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(`${url}/stkpush.php`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ payment_account_id: 1, phone: "0712345678", amount: 100 }),
  }).catch(() => null);
  return response?.ok === true;
}
