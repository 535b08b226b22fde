import { afterAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { connectTo } from "../support/connection.ts";
import { type ReadyRecord, runMomo, serveMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const json = async (url: string, init?: RequestInit) => {
  const response = await fetch(url, { redirect: "manual", ...init });
  return { status: response.status, body: (await response.json().catch(() => null)) as Record<string, unknown> };
};

test("--control-port: control API and console have a separate listener", async () => {
  const {
    baseUrl,
    controlUrl,
    origin: merchant,
    headers,
    control,
    stop,
  } = await startIn(newFolder(), { controlPort: 0 });
  const { origin: controlOrigin } = new URL(controlUrl);
  expect(controlOrigin).not.toBe(merchant);

  for (const path of ["/_momo", "/_momo/", "/_momo/health", "/_momo/keys", "/"]) {
    expect((await json(merchant + path)).status, path).toBe(404);
  }
  expect((await json(`${merchant}/_momo/keys`, { method: "POST" })).status).toBe(404);
  expect((await json(`${merchant}/openapi.json`)).body).toHaveProperty("openapi");
  expect((await json(`${baseUrl}/transactions.php`, { headers })).status).toBe(200);

  expect(await control("GET", "/server")).toMatchObject({ base_url: baseUrl, control_url: controlUrl });
  expect(await (await fetch(`${controlOrigin}/`)).text()).toContain("<!doctype html>");
  for (const path of ["/v2/transactions.php", "/openapi.json", "/xmomo/health", "/nothing"]) {
    expect(await json(controlOrigin + path)).toMatchObject({ status: 404, body: { success: false } });
  }

  const connection = await connectTo(controlUrl);
  connection.write("GET /x/../_momo/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  await connection.closed;
  expect(connection.received.text).toMatch(/^HTTP\/1\.1 400 [\s\S]*"success":false/);

  await stop();
  for (const url of [baseUrl, controlUrl]) expect(await fetch(url).catch(() => "refused")).toBe("refused");
});

test.concurrent("ready record, ready file, server.json, momo env, the commands and doctor follow it", async () => {
  const file = join(newFolder(), "ready.json");
  const { ready, at } = await serveMomo(["--control-port", "0", "--after", "0s", "--ready-file", file]);
  const { base_url, control_url } = ready;
  expect(new URL(control_url).port).not.toBe(new URL(base_url).port);
  expect(ready.console_url).toBe(`${control_url}/`);
  expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(ready);
  const record = JSON.parse(readFileSync(join(ready.data, "server.json"), "utf8"));
  expect(record).toMatchObject({ base_url, control_url });

  const variables = JSON.parse((await runMomo(["env", "--json", ...at])).stdout);
  expect(variables).toMatchObject({ MOMO_BASE_URL: base_url, MOMO_CONTROL_URL: control_url });
  expect((await runMomo(["clock", "freeze", ...at])).exitCode).toBe(0);
  // The record also helps if only the merchant API is named.
  expect((await runMomo(["clock", "resume", "--base-url", base_url, ...at])).exitCode).toBe(0);
  const named = { env: { MOMO_BASE_URL: base_url, MOMO_DATA: ready.data } };
  expect((await runMomo(["clock", "show"], named)).exitCode).toBe(0);
  const doctor = await runMomo(["doctor", ...at]);
  expect(doctor.stdout).toContain(`serves ${base_url}, and ${control_url}`);
  expect(doctor.exitCode).toBe(0);
});

test.concurrent("a token from a file is required, and printed nowhere", async () => {
  const file = join(newFolder(), "token");
  writeFileSync(file, "a-token-of-ours-from-a-file", { mode: 0o600 });
  const { ready, child, at } = await serveMomo(["--control-token-file", file]);
  expect((await json(`${ready.control_url}/keys`)).status).toBe(401);
  expect((await runMomo(["clock", "show", ...at])).exitCode).toBe(0);
  expect(child.stdout.text).not.toContain("a-token-of-ours");
});

test.concurrent("off loopback the control port requires a token, too", async () => {
  const { ready } = await serveMomo(["--control-port", "0", "--host", "0.0.0.0"]);
  expect((await json(`${ready.control_url}/keys`)).status).toBe(401);
  const { control_token } = ready as ReadyRecord & { control_token: string };
  const headers = { Authorization: `Bearer ${control_token}` };
  expect((await json(`${ready.control_url}/keys`, { headers })).status).toBe(200);
});
