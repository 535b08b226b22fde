import { afterAll, beforeAll, expect, test } from "bun:test";
import { copyFileSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditReport } from "../../../npm/records.ts";
import { ROOT } from "../../support/binary.ts";
import { type Child, startChild } from "../../support/child.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { readDocument } from "../../support/documents.ts";
import { cleanEnvironment, runToEnd, type Served, serveMomo } from "../../support/momo.ts";
import { describeWith, type Needed } from "../../support/needs.ts";
import { until } from "../../support/waiting.ts";

/** The example shops: what they do when customers pay, cancel and come back, and what the audit finds in the wrong ones. */

afterAll(cleanUp);

/** Serves a route of Next.js as Next.js calls it. */
const NEXT = `import * as route from "./route.mjs";
const server = Bun.serve({ port: Number(process.env.PORT), hostname: "127.0.0.1", fetch(request) {
  const id = new URL(request.url).pathname.split("/")[2];
  return route[request.method](request, { params: Promise.resolve({ id }) });
} });
console.log("the shop is at " + server.url.origin);`;

type Answer = Readonly<Record<string, unknown>>;

interface Kind {
  readonly needs: readonly Needed[];
  readonly client: string;
  readonly files: (name: string) => Readonly<Record<string, string>>;
  readonly command: (port: number) => readonly string[];
  readonly right: string;
  readonly wrong: string;
  /** The path that starts a payment of an order. */
  readonly pay: (id: string) => string;
  readonly isForm?: boolean;
}

const example = (name: string) => readDocument(`docs/examples/${name}`).text;
const payOrder = (id: string) => `/orders/${id}`;

const KINDS: Readonly<Record<string, Kind>> = {
  Express: {
    needs: ["node", "Express"],
    client: "client.mjs",
    files: (name) => ({ "shop.mjs": example(name) }),
    command: () => ["node", "shop.mjs"],
    right: "shop-express.mjs",
    wrong: "shop-express-wrong.mjs",
    pay: (id) => `/orders/${id}/pay`,
  },
  "Next.js": {
    needs: [],
    client: "client.mjs",
    files: (name) => ({ "route.mjs": example(name), "next.mjs": NEXT }),
    command: () => [process.execPath, "next.mjs"],
    right: "shop-next.mjs",
    wrong: "shop-next-wrong.mjs",
    pay: payOrder,
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
  },
};

/** Only PHP needs a port that is known before. */
function freePort(): number {
  const socket = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
  const { port } = socket;
  socket.stop(true);
  return port;
}

interface Shop {
  readonly momo: Served;
  readonly folder: string;
  readonly environment: Record<string, string>;
  readonly pay: (id: string, phone?: string) => Promise<Answer>;
  readonly get: (path: string) => Promise<Answer>;
  readonly post: (path: string, body: object) => Promise<number>;
  /** The order, after the customer has waited. */
  readonly later: (id: string, query?: string) => Promise<Answer>;
  readonly audit: () => Promise<AuditReport>;
}

async function openShop(kind: Kind, file: string): Promise<Shop> {
  const momo = await serveMomo(["--clock", "2026-11-20 10:00:00"]);
  const { ready } = momo;
  const folder = newFolder();
  copyFileSync(join(ROOT, "clients", kind.client), join(folder, kind.client));
  mkdirSync(join(folder, "node_modules"));
  const express = join(ROOT, "test/integration/check/node_modules/express");
  if (existsSync(express)) symlinkSync(express, join(folder, "node_modules/express"));
  for (const [name, text] of Object.entries(kind.files(file))) writeFileSync(join(folder, name), text);
  const environment = {
    ...cleanEnvironment(newFolder()),
    MOMO_BASE_URL: ready.base_url,
    MOMO_API_KEY: ready.api_key,
    MOMO_API_SECRET: ready.api_secret,
    MOMO_PAYMENT_ACCOUNT_ID: String(ready.payment_account_id),
    MOMO_ORDERS: join(folder, "orders"),
    PORT: "0",
  };
  const port = freePort();
  const child: Child = startChild(kind.command(port), { env: environment, cwd: folder });
  later(() => {
    child.signal("SIGKILL");
    return child.exited;
  });
  const said = () => `${child.stdout.text}${child.stderr.text}`;
  const origin = await until(
    async () => /http:\/\/127\.0\.0\.1:\d+/.exec(said())?.[0] ?? "",
    (address) => address !== "",
  );
  const send = async (path: string, init?: RequestInit) => fetch(origin + path, { keepalive: false, ...init });
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
    get,
    post: async (path, body) => (await send(path, json(body))).status,
    async pay(id, phone = "0712345678") {
      const given = { phone, amount: "100" };
      const init = kind.isForm ? { method: "POST", body: new URLSearchParams(given) } : json({ ...given, amount: 100 });
      return (await (await send(kind.pay(id), init)).json()) as Answer;
    },
    async later(id, query = "") {
      await momo.control("POST", "/clock", { advance: "5s" });
      return get(`/orders/${id}${query}`);
    },
    audit: async () => (await momo.control("GET", "/audit?over=true")) as unknown as AuditReport,
  };
}

const loseTheAnswer = { kind: "disconnect", path: "/stkpush.php", times: 1 };

for (const [name, kind] of Object.entries(KINDS)) {
  describeWith(kind.needs, `${name}: ${kind.right}`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await openShop(kind, kind.right);
    });

    test("a customer who pays, with two clicks, is charged once", async () => {
      expect(await shop.pay("order1001")).toMatchObject({ status: "pending", asks_again: true });
      expect(await shop.pay("order1001")).toMatchObject({ status: "pending" });
      expect(await shop.later("order1001")).toMatchObject({ status: "completed", asks_again: false });
      expect(await shop.momo.list()).toHaveLength(1);
    });

    test("an order whose answer was lost is found, and not pushed again", async () => {
      await shop.momo.control("POST", "/faults", loseTheAnswer);
      expect(await shop.pay("order1002")).toMatchObject({ status: "unknown", asks_again: true });
      expect(await shop.later("order1002")).toMatchObject({ status: "completed", asks_again: false });
      expect(await shop.momo.list()).toHaveLength(2);
    });

    test("an unknown order is refused, and starts nothing", async () => {
      expect(await shop.pay("order1003")).toEqual({ text: "There is no such order." });
      expect(await shop.momo.list()).toHaveLength(2);
    });

    test("its audit is clean, to the last note", async () => {
      expect((await shop.audit()).findings).toEqual([]);
    });
  });

  describeWith(kind.needs, `${name}: ${kind.right}, customers who do not pay`, () => {
    let shop: Shop;
    beforeAll(async () => {
      shop = await openShop(kind, kind.right);
    });

    test("who cancels can try again, and pays once", async () => {
      const again = name === "Next.js" ? "?attempt=2" : "";
      expect(await shop.pay("order1001", "254700000032")).toMatchObject({ status: "pending" });
      expect(await shop.later("order1001")).toMatchObject({ status: "cancelled", asks_again: false });
      if (name === "Next.js")
        expect(await shop.post("/orders/order1001", { phone: "0712345678", attempt: 2 })).toBe(200);
      else expect(await shop.pay("order1001")).toMatchObject({ status: "pending" });
      expect(await shop.later("order1001", again)).toMatchObject({ status: "completed" });
    });

    test("whom the network refuses hears at once that nothing was paid", async () => {
      expect(await shop.pay("order1002", "254700000500")).toMatchObject({ status: "not_started", asks_again: false });
    });

    test("its audit is clean", async () => {
      expect((await shop.audit()).findings).toEqual([]);
    });
  });
}

const delivered = (folder: string) => readdirSync(join(folder, "orders")).filter((file) => file.endsWith(".delivered"));

describeWith(["node", "Express"], "Express: what was paid is delivered once", () => {
  test("by a page, by a webhook that comes twice, and not by a webhook about another payment", async () => {
    const shop = await openShop(KINDS.Express as Kind, "shop-express.mjs");
    await shop.pay("order1001");
    const [row] = await shop.momo.list();
    await shop.momo.control("POST", "/clock", { advance: "5s" });
    const hook = { status: "completed", checkout_request_id: row?.checkout_request_id };
    expect(await shop.post("/hook", { ...hook, checkout_request_id: "ws_CO_forged" })).toBe(404);
    expect(await shop.post("/hook", { status: "completed" })).toBe(404);
    expect(delivered(shop.folder)).toEqual([]);
    expect(await shop.post("/hook", { data: hook })).toBe(200);
    expect(await shop.post("/hook", hook)).toBe(404); // it is not open any more
    expect(await shop.get("/orders/order1001")).toMatchObject({ status: "completed" });
    expect(delivered(shop.folder)).toEqual(["order1001.delivered"]);
    expect((await shop.audit()).findings).toEqual([]);
  });
});

describeWith(["php", "php curl"], "PHP: a cron learns what nobody asks for", () => {
  test("php shop.php delivers it", async () => {
    const shop = await openShop(KINDS.PHP as Kind, "shop.php");
    await shop.pay("order1001");
    await shop.momo.control("POST", "/clock", { advance: "5s" });
    const cron = await runToEnd(["php", "shop.php"], { cwd: shop.folder, env: shop.environment });
    expect(cron).toMatchObject({ exitCode: 0, stderr: expect.stringContaining("deliver order1001, receipt ") });
    expect(delivered(shop.folder)).toEqual(["order1001.delivered"]);
    expect((await shop.audit()).findings).toEqual([]);
  });
});

/** The kinds and severities that the page names under the file. */
const foundIn = (report: AuditReport) => report.findings.map(({ severity, kind }) => `${severity}: ${kind}`).sort();

/** What docs/shops.md says that the audit finds, in the section of a file. */
function promised(file: string): string[] {
  const section = readDocument("docs/shops.md")
    .text.split(/^## /m)
    .find((text) => text.includes(`examples/${file})`));
  return [...(section ?? "").matchAll(/^- `(\w+)` \((error|warning|note)\)/gm)]
    .map(([, kind, severity]) => `${severity}: ${kind}`)
    .sort();
}

describeWith(["node", "Express"], "Express, wrong", () => {
  test("a lost answer makes it push again, and the audit says so", async () => {
    const shop = await openShop(KINDS.Express as Kind, "shop-express-wrong.mjs");
    await shop.momo.control("POST", "/faults", loseTheAnswer);
    const { checkout_request_id } = await shop.pay("order1001");
    await shop.momo.control("POST", "/clock", { advance: "5s" });
    expect(await shop.get(`/payments/${checkout_request_id}`)).toMatchObject({ status: "completed" });
    expect(await shop.momo.list("?status=completed")).toHaveLength(2);
    expect(foundIn(await shop.audit())).toEqual(promised("shop-express-wrong.mjs"));
  });
});

describeWith([], "Next.js, wrong", () => {
  test("a customer who pays after 15 s is told that the payment failed", async () => {
    const shop = await openShop(KINDS["Next.js"] as Kind, "shop-next-wrong.mjs");
    await shop.momo.control("PUT", "/default", { outcome: "completed", after: "30s" });
    // The route waits in real time: this clock follows each of its polls.
    const answer = shop.pay("order1001");
    for (let polls = 0; polls < 5; polls += 1) {
      await until(
        async () => (await shop.momo.control("GET", "/requests?path=status.php")).requests as unknown[],
        ({ length }) => length > polls,
      );
      await shop.momo.control("POST", "/clock", { advance: "3s" });
    }
    expect(await answer).toEqual({ text: "The payment failed." });
    await shop.momo.control("POST", "/clock", { advance: "1m" });
    expect(foundIn(await shop.audit())).toEqual(promised("shop-next-wrong.mjs"));
  });
});

describeWith(["php"], "PHP, wrong", () => {
  test("a customer who cancelled gets what another customer has paid", async () => {
    const shop = await openShop(KINDS.PHP as Kind, "shop-wrong.php");
    const { checkout_request_id } = await shop.pay("order1001", "254700000032");
    await shop.pay("order1002");
    await shop.momo.control("POST", "/clock", { advance: "5s" });
    expect(await shop.get(`/?checkout_request_id=${checkout_request_id}`)).toEqual({ paid: true });
    expect(foundIn(await shop.audit())).toEqual(promised("shop-wrong.php"));
  });
});
