import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { connectTo } from "../support/connection.ts";
import { runMomo, serveMomo } from "../support/momo.ts";

afterAll(cleanUp);

const json = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, { redirect: "manual", ...init });
  return { status: response.status, body: (await response.json().catch(() => null)) as Record<string, unknown> };
};

test.concurrent("--control-port: control API and console are on a listener of their own, the merchant API on the other", async () => {
  const { ready, get } = await serveMomo(["--control-port", "0"]);
  const merchant = new URL(ready.base_url);
  const control = new URL(ready.control_url);
  expect(control.port).not.toBe(merchant.port);
  expect(ready.console_url).toBe(`${ready.control_url}/`);

  for (const path of ["/_momo", "/_momo/", "/_momo/health", "/_momo/keys", "/"]) {
    expect((await json(merchant.origin + path)).status, path).toBe(404);
  }
  expect((await json(`${merchant.origin}/_momo/keys`, { method: "POST" })).status).toBe(404);
  expect((await json(`${merchant.origin}/openapi.json`)).body).toHaveProperty("openapi");
  expect((await get("/transactions.php")).status).toBe(200);

  expect((await json(`${control.origin}/_momo/health`)).status).toBe(200);
  expect(await (await fetch(`${control.origin}/`)).text()).toContain("<!doctype html>");
  for (const path of ["/v2/transactions.php", "/openapi.json", "/xmomo/health", "/nothing"]) {
    expect(await json(control.origin + path)).toMatchObject({ status: 404, body: { success: false } });
  }
  expect((await json(`${control.origin}/_momo/server`)).body).toMatchObject({
    base_url: ready.base_url,
    control_url: ready.control_url,
  });
});

test.concurrent("the control listener refuses dot segments too", async () => {
  const { ready } = await serveMomo(["--control-port", "0"]);
  const connection = await connectTo(ready.control_url);
  connection.write("GET /x/../_momo/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  await connection.closed;
  expect(connection.received.text).toMatch(/^HTTP\/1\.1 400 [\s\S]*"success":false/);
});

test.concurrent("ready file, server.json, momo env, the commands and doctor follow it", async () => {
  const file = join(newFolder(), "ready.json");
  const { ready, at } = await serveMomo(["--control-port", "0", "--ready-file", file]);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(ready);
  const record = JSON.parse(readFileSync(join(ready.data, "server.json"), "utf8"));
  expect(record).toMatchObject({ base_url: ready.base_url, control_url: ready.control_url });

  const variables = JSON.parse((await runMomo(["env", "--json", ...at])).stdout);
  expect(variables).toMatchObject({ MOMO_BASE_URL: ready.base_url, MOMO_CONTROL_URL: ready.control_url });
  expect((await runMomo(["clock", "freeze", ...at])).exitCode).toBe(0);
  // The record tells also where only the merchant API is named.
  expect((await runMomo(["clock", "resume", "--base-url", ready.base_url, ...at])).exitCode).toBe(0);
  const named = { env: { MOMO_BASE_URL: ready.base_url, MOMO_DATA: ready.data } };
  expect((await runMomo(["clock", "show"], named)).exitCode).toBe(0);
  expect(
    (await runMomo(["pay", "0712345678", "1", "--outcome", "completed; after=1ms", "--wait", ...at])).exitCode,
  ).toBe(0);

  const doctor = await runMomo(["doctor", ...at]);
  expect(doctor.stdout).toContain(`serves ${ready.base_url}, and ${ready.control_url}`);
  expect(doctor.exitCode).toBe(0);
});

test.concurrent("a token is asked for on the control port as on any", async () => {
  const { ready } = await serveMomo(["--control-port", "0", "--host", "0.0.0.0"]);
  expect((await json(`${ready.control_url}/keys`)).status).toBe(401);
  const { control_token } = ready as typeof ready & { control_token: string };
  const headers = { Authorization: `Bearer ${control_token}` };
  expect((await json(`${ready.control_url}/keys`, { headers })).status).toBe(200);
});

test.concurrent("a server with two listeners ends both", async () => {
  const server = await serveMomo(["--control-port", "0"]);
  expect(await server.stop()).toBe(0);
  for (const url of [server.ready.base_url, server.ready.control_url]) {
    expect(await fetch(url).catch(() => "nobody")).toBe("nobody");
  }
});

test.concurrent("the same port twice, and one that is taken, are refused with the flag's name", async () => {
  const same = await runMomo(["serve", "--port", "4711", "--control-port", "4711", "--data", newFolder()]);
  expect(same.stderr).toContain("--control-port 4711 is the port of the merchant API");
  expect(same.exitCode).toBe(2);
  const { ready } = await serveMomo();
  const { port } = new URL(ready.base_url);
  const taken = await runMomo(["serve", "--port", "0", "--control-port", port, "--data", newFolder()]);
  expect(taken.stderr).toContain(`127.0.0.1:${port} is taken by another momo (process ${ready.pid})`);
  expect(taken.stderr).toContain("choose another port with --control-port, or --control-port 0 for any free one");
  expect(taken.exitCode).toBe(1);
});
