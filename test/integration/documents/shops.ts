import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SandboxConfig } from "../../../cli/serving/run-sandbox.ts";
import type { AuditReport } from "../../../npm/records.ts";
import { ROOT } from "../../support/binary.ts";
import { type Child, startChild } from "../../support/child.ts";
import { newFolder } from "../../support/cleanup.ts";
import { readDocument } from "../../support/documents.ts";
import { cleanEnvironment, runToEnd } from "../../support/momo.ts";
import type { Needed } from "../../support/needs.ts";
import { freePort } from "../../support/postgres.ts";
import { type Sandbox, startIn } from "../../support/sandbox.ts";
import { START_MS } from "../../support/service.ts";
import { until } from "../../support/waiting.ts";

/** The example shops of docs/examples, each beside a sandbox. */

/** Serves a route of Next.js as Next.js calls it. */
const NEXT = `import * as route from "./route.mjs";
const server = Bun.serve({ port: Number(process.env.PORT), hostname: "127.0.0.1", fetch(request) {
  const id = new URL(request.url).pathname.split("/")[2];
  return route[request.method](request, { params: Promise.resolve({ id }) });
} });
console.log("the shop is at " + server.url.origin);`;

export const loseTheAnswer = { kind: "disconnect", path: "/stkpush.php", times: 1 };

type Answer = Readonly<Record<string, unknown>>;

export interface Kind {
  readonly needs: readonly Needed[];
  readonly client: string;
  readonly files: (name: string) => Readonly<Record<string, string>>;
  readonly command: (port: number) => readonly string[];
  readonly right: string;
  readonly wrong: string;
  /** The path that starts a payment of an order. */
  readonly pay: (id: string) => string;
  readonly isForm?: boolean;
  /** Whether it takes webhooks. */
  readonly hook?: boolean;
  /** Runs the cron once; returns what it has said, unless the server says it. */
  readonly cron: (shop: Shop) => Promise<string>;
}

const example = (name: string) => readDocument(`docs/examples/${name}`).text;
const payOrder = (id: string) => `/orders/${id}`;

export const KINDS: Readonly<Record<string, Kind>> = {
  Express: {
    needs: ["node", "Express"],
    client: "client.mjs",
    files: (name) => ({ "shop.mjs": example(name) }),
    command: () => ["node", "shop.mjs"],
    right: "shop-express.mjs",
    wrong: "shop-express-wrong.mjs",
    pay: (id) => `/orders/${id}/pay`,
    hook: true,
    cron: (shop) => runCron(["node", "shop.mjs", "cron"], shop),
  },
  "Next.js": {
    needs: [],
    client: "client.mjs",
    files: (name) => ({ "route.mjs": example(name), "next.mjs": NEXT }),
    command: () => [process.execPath, "next.mjs"],
    right: "shop-next.mjs",
    wrong: "shop-next-wrong.mjs",
    pay: payOrder,
    async cron({ get }) {
      await get("/orders/unpaid");
      return "";
    },
  },
  PHP: {
    needs: ["php", "php curl"],
    client: "client.php",
    files: (name) => ({ "shop.php": example(name) }),
    command: (port) => ["php", "-S", `127.0.0.1:${port}`, "shop.php"],
    right: "shop.php",
    wrong: "shop-wrong.php",
    pay: payOrder,
    isForm: true,
    hook: true,
    cron: (shop) => runCron(["php", "shop.php"], shop),
  },
  Python: {
    needs: ["python3"],
    client: "client.py",
    files: (name) => ({ "shop.py": example(name) }),
    command: () => ["python3", "shop.py"],
    right: "shop.py",
    wrong: "shop-wrong.py",
    pay: payOrder,
    hook: true,
    cron: (shop) => runCron(["python3", "shop.py", "cron"], shop),
  },
};

async function runCron(command: readonly string[], { folder, environment }: Shop): Promise<string> {
  const { stdout, stderr } = await runToEnd(command, { cwd: folder, env: environment });
  return stdout + stderr;
}

export const delivered = (folder: string) =>
  readdirSync(join(folder, "orders")).filter((file) => file.endsWith(".delivered"));

/** The file of a stored name, as the clients name it. */
export const fileOf = ({ folder }: Shop, name: string) =>
  join(folder, "orders", `${Buffer.from(name).toString("hex")}.json`);

export interface Shop {
  readonly momo: Sandbox;
  readonly folder: string;
  /** Another one after a restart. */
  readonly origin: string;
  readonly environment: Record<string, string>;
  readonly pay: (id: string, phone?: string) => Promise<Answer>;
  readonly send: (path: string, init?: RequestInit) => Promise<Response>;
  readonly get: (path: string) => Promise<Answer>;
  readonly post: (path: string, body: object) => Promise<number>;
  /** The order, after the customer has waited. */
  readonly later: (id: string) => Promise<Answer>;
  readonly audit: () => Promise<AuditReport>;
  /** What its servers have said since it was renewed. */
  readonly said: () => string;
  /** Kills its server, and starts another one. */
  readonly restart: () => Promise<void>;
  /** Forgets all orders, also in the sandbox. */
  readonly renew: () => Promise<void>;
}

const right = new Map<Kind, Promise<Shop>>();

/** The right shop of a kind without an order. It is one for all tests: its server takes most of the time of a test to start. */
export async function newShop(kind: Kind): Promise<Shop> {
  const opened = right.get(kind) ?? openShop(kind, kind.right);
  right.set(kind, opened);
  const shop = await opened;
  await shop.renew();
  return shop;
}

export async function openShop(kind: Kind, file: string, options: Partial<SandboxConfig> = {}): Promise<Shop> {
  const momo = await startIn(newFolder(), { startAt: { atMs: START_MS, isFrozen: true }, ...options });
  const folder = newFolder();
  copyFileSync(join(ROOT, "clients", kind.client), join(folder, kind.client));
  mkdirSync(join(folder, "node_modules"));
  const express = join(ROOT, "test/integration/check/node_modules/express");
  if (existsSync(express)) symlinkSync(express, join(folder, "node_modules/express"));
  for (const [name, text] of Object.entries(kind.files(file))) writeFileSync(join(folder, name), text);
  const environment = {
    ...cleanEnvironment(newFolder()),
    MOMO_BASE_URL: momo.baseUrl,
    MOMO_API_KEY: momo.headers["X-API-Key"] ?? "",
    MOMO_API_SECRET: momo.headers["X-API-Secret"] ?? "",
    MOMO_PAYMENT_ACCOUNT_ID: "1",
    MOMO_ORDERS: join(folder, "orders"),
    PORT: "0",
  };
  let server = await startServer(kind, folder, environment);
  let saidBefore = "";
  let forgotten = 0;
  const saidInAll = () => saidBefore + saidBy(server.child);
  const send = async (path: string, init?: RequestInit) => fetch(server.origin + path, { keepalive: false, ...init });
  const get = async (path: string) => (await (await send(path)).json()) as Answer;
  const json = (body: object) => ({
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  return {
    momo,
    folder,
    environment,
    get origin() {
      return server.origin;
    },
    send,
    get,
    post: async (path, body) => (await send(path, json(body))).status,
    async pay(id, phone = "0712345678") {
      const given = { phone, amount: "100" };
      const init = kind.isForm ? { method: "POST", body: new URLSearchParams(given) } : json({ ...given, amount: 100 });
      return (await (await send(kind.pay(id), init)).json()) as Answer;
    },
    async later(id) {
      await momo.control("POST", "/clock", { advance: "5s" });
      return get(`/orders/${id}`);
    },
    audit: async () => (await momo.control("GET", "/audit?over=true")) as unknown as AuditReport,
    said: () => saidInAll().slice(forgotten),
    async restart() {
      server.child.signal("SIGKILL");
      await server.child.exited;
      saidBefore = saidInAll();
      server = await startServer(kind, folder, environment);
    },
    async renew() {
      await momo.control("POST", "/reset");
      await momo.control("DELETE", "/audit"); // which goes on after a reset
      rmSync(environment.MOMO_ORDERS, { recursive: true, force: true });
      forgotten = saidInAll().length;
    },
  };
}

const saidBy = (child: Child) => `${child.stdout.text}${child.stderr.text}`;

async function startServer(kind: Kind, folder: string, environment: Record<string, string>) {
  // Only PHP needs a port that is known before.
  const child = startChild(kind.command(freePort()), { env: environment, cwd: folder });
  const origin = await until(
    async () => /http:\/\/127\.0\.0\.1:\d+/.exec(saidBy(child))?.[0] ?? "",
    (address) => address !== "",
  );
  return { child, origin };
}
