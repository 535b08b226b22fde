import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { failureOf, runMomo, serveMomo } from "../support/momo.ts";
import { expectRefusal } from "../support/refusal.ts";

afterAll(cleanUp);

const running = await serveMomo();
const { port } = new URL(running.ready.base_url);

describe("a taken port or data directory: one line that names the holder and the flag that helps, exit 1", () => {
  test.concurrent("a second serve on the same data directory", async () => {
    const run = await runMomo(["serve", "--port", "0", ...running.at]);
    expectRefusal(run, `process ${running.ready.pid}, ${running.ready.base_url}`, "--data");
    expect((await running.get("/transactions.php")).status).toBe(200);
  });

  test.concurrent("a second serve on the same port", async () => {
    const data = join(newFolder(), "data");
    const run = await runMomo(["serve", "--port", port, "--data", data]);
    expectRefusal(run, `127.0.0.1:${port} is taken by another momo (process ${running.ready.pid})`, "--port 0");
    expect(existsSync(join(data, "server.json"))).toBe(false);
  });

  test.concurrent("with --json it is an error record", async () => {
    const run = await runMomo(["serve", "--port", port, "--ephemeral", "--json"]);
    expect(failureOf(run)).toMatchObject({ code: "unexpected", hint: expect.stringContaining("--port") });
    expect(run).toMatchObject({ stdout: "", exitCode: 1 });
  });

  test.concurrent("a port in use by another program", async () => {
    const other = serveFake(() => new Response("I am a shop"));
    const run = await runMomo(["serve", "--port", String(other.port), "--ephemeral"]);
    expectRefusal(run, `127.0.0.1:${other.port} is taken by another program`, "--port");
  });

  test.concurrent("a port in use by a program that never answers", async () => {
    const silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: () => {} } });
    const run = await runMomo(["serve", "--port", String(silent.port), "--ephemeral"]);
    silent.stop(true);
    expectRefusal(run, "is taken by another program", "--port");
  });

  for (const host of ["192.0.2.1", "nowhere.invalid", "127.0.0.256"]) {
    test.concurrent(`--host ${host}, which is not an address of this machine`, async () => {
      expectRefusal(await runMomo(["serve", "--port", "0", "--ephemeral", "--host", host]), host, "--host");
    });
  }
});

describe("a folder that cannot be written: one line that names it and the flag that helps, exit 1", () => {
  const file = join(newFolder(), "file");
  writeFileSync(file, "");
  for (const data of [join(file, "data"), file, "/proc/x", "/proc/self"]) {
    test.concurrent(data.startsWith("/proc") ? data : data === file ? "a file" : "below a file", async () => {
      expectRefusal(await runMomo(["serve", "--port", "0", "--data", data]), data, "--data");
    });
  }
});

describe("a damaged record", () => {
  test.concurrent("credentials.json is named, and kept as it is", async () => {
    const data = newFolder();
    writeFileSync(join(data, "credentials.json"), "{}");
    const run = await runMomo(["serve", "--port", "0", "--data", data]);
    expectRefusal(run, join(data, "credentials.json"), "delete it");
    expect(readFileSync(join(data, "credentials.json"), "utf8")).toBe("{}");
  });

  test.concurrent("server.json of a server that is gone is written anew", async () => {
    const data = newFolder();
    writeFileSync(join(data, "server.json"), "{}");
    const { at } = await serveMomo(["--data", data]);
    expect((await runMomo(["list", ...at])).exitCode).toBe(0);
  });

  test.concurrent("server.json of a running server: a second serve still says that the directory is in use", async () => {
    const first = await serveMomo();
    writeFileSync(join(first.ready.data, "server.json"), "{}");
    const run = await runMomo(["serve", "--port", "0", ...first.at]);
    expectRefusal(run, `${first.ready.data} is in use by another momo`, "--data");
  });
});
