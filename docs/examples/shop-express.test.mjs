// shop-express.test.mjs: the shop in a test, with its page and its webhook. node --test shop-express.test.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { startSandbox } from "stkpush-sandbox/testing";

let sandbox;
let shop;
let origin;

before(async () => {
  sandbox = await startSandbox({ frozen: true });
  const env = {
    ...process.env,
    MOMO_BASE_URL: sandbox.baseUrl,
    MOMO_API_KEY: sandbox.apiKey,
    MOMO_API_SECRET: sandbox.apiSecret,
    MOMO_PAYMENT_ACCOUNT_ID: String(sandbox.paymentAccountId),
    MOMO_ORDERS: mkdtempSync(`${tmpdir()}/orders-`),
    PORT: "0",
  };
  shop = spawn(process.execPath, ["shop-express.mjs"], { env, stdio: ["ignore", "pipe", "inherit"] }); // or yours
  const [line] = await once(shop.stdout.setEncoding("utf8"), "data");
  origin = line.match(/http:\S+/)[0];
});

after(async () => {
  shop?.kill();
  await sandbox?.stop();
});

async function ask(path, body) {
  const headers = { "Content-Type": "application/json" };
  const request = body ? { method: "POST", headers, body: JSON.stringify(body) } : {};
  return fetch(origin + path, request);
}

async function look(id) {
  const answer = await ask(`/orders/${id}`);
  return (await answer.json()).status;
}

async function click(id) {
  const answer = await ask(`/orders/${id}/pay`, { phone: "0712345678" });
  return (await answer.json()).status;
}

async function pushes() {
  const requests = await sandbox.requests();
  return requests.filter(({ target }) => target.endsWith("/stkpush.php")).length;
}

test("a lost answer, and two clicks: one payment", async () => {
  await sandbox.faults.add({ kind: "disconnect", path: "/stkpush.php", times: 1 });
  await sandbox.faults.add({ kind: "error", path: "/transactions.php", status: 503, times: 1 });
  assert.equal(await click("order1001"), "unknown");
  assert.equal(await click("order1001"), "unknown");
  assert.equal(await pushes(), 1);
  await sandbox.clock.advance("3s");
  assert.equal(await look("order1001"), "completed");
});

test("a wrong PIN, a forged webhook, and a second try whose webhook books it", { timeout: 30_000 }, async () => {
  await sandbox.rules.add({ outcome: "wrong_pin", times: 1 });
  assert.equal(await click("order1002"), "pending");
  const { answer } = (await sandbox.requests()).findLast(({ target }) => target.endsWith("/stkpush.php"));
  const { checkout_request_id } = answer;
  await ask("/hook", { data: { status: "completed", checkout_request_id } });
  assert.equal(await look("order1002"), "pending");
  await sandbox.clock.advance("3s");
  assert.equal(await look("order1002"), "failed");

  await sandbox.webhook.set({ url: `${origin}/hook` });
  assert.equal(await click("order1002"), "pending");
  await sandbox.clock.advance("3s");
  while ((await sandbox.webhook.deliveries())[0]?.state !== "delivered") await pause(20); // in real time
  assert.equal(await look("order1002"), "completed");
});

test("the shop has made no mistake", async () => {
  const { findings } = await sandbox.audit();
  assert.deepEqual(findings, []);
});
