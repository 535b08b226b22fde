import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ReadyFile } from "../../cli/files/ready-file.ts";
import { listen } from "../../cli/serving/listen.ts";
import { OUTCOMES } from "../../sandbox/network/outcomes.ts";
import { RESULT_CODES } from "../../src/domain/outcome.ts";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { connectTo } from "../support/connection.ts";
import { serveFake } from "../support/fake-server.ts";
import { TestIo } from "../support/io.ts";
import { expectRefusal, runMomo, serveMomo } from "../support/momo.ts";
import { startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

/** How a server says that it is ready. */

/** The ready file of a server that has ended. */
const OLD = '{"base_url":"http://127.0.0.1:1/v2","console_url":"http://127.0.0.1:1/_momo/","pid":1}';

describe("an old ready file is removed before a server starts, so that no start leaves a stale address in it", () => {
  test.concurrent("where the start fails", async () => {
    const folder = newFolder();
    const file = join(folder, "ready.json");
    writeFileSync(file, OLD);
    writeFileSync(join(folder, "file"), "");
    const run = await runMomo(["serve", "--port", "0", "--data", "file/data"], {
      cwd: folder,
      env: { MOMO_SERVE_READY_FILE: file },
    });
    expect([run.exitCode, existsSync(file)]).toEqual([1, false]);
  });

  test("an empty file, as mktemp makes it, may become the ready file", () => {
    const file = join(newFolder(), "ready.json");
    writeFileSync(file, "");
    const ready = new ReadyFile(new TestIo(), "--ready-file", file, null);
    ready.removeOld();
    ready.write({ pid: 1 });
    expect(readFileSync(file, "utf8")).toBe('{"pid":1}\n');
  });

  test("a server that ends does not remove what another one has written to the same ready file", () => {
    const file = join(newFolder(), "ready.json");
    const first = new ReadyFile(new TestIo(), "--ready-file", file, null);
    first.write(JSON.parse(OLD));
    const second = new ReadyFile(new TestIo(), "--ready-file", file, null);
    second.write({ pid: 2 });
    first.remove();
    expect(readFileSync(file, "utf8")).toBe('{"pid":2}\n');
    second.remove();
    expect(existsSync(file)).toBe(false);
  });

  test.concurrent("a second server that is refused keeps the ready file of the living one", async () => {
    const folder = newFolder();
    const file = join(folder, "ready.json");
    const { ready } = await serveMomo(["--data", folder, "--ready-file", file]);
    for (const line of [`--data ${folder} --port 0`, "--data new --port x"]) {
      expect((await runMomo(["serve", "--ready-file", file, ...line.split(" ")])).exitCode).not.toBe(0);
      expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(ready);
    }
  });

  const linkToDatabase = (file: string) => {
    writeFileSync(`${file}.db`, "SQLite format 3\0");
    symlinkSync(`${file}.db`, file);
  };
  const OTHER = "is not a ready file, and stays as it is";
  const NO_FILE = "is not a file of its own, and stays as it is";
  const PUT = [
    ["a database", OTHER, (file: string) => writeFileSync(file, "SQLite format 3\0")],
    ["a long file", OTHER, (file: string) => writeFileSync(file, "{".repeat(65_537))],
    ["a manifest", OTHER, (file: string) => writeFileSync(file, '{"name":"shop"}')],
    ["a list", OTHER, (file: string) => writeFileSync(file, "[1]")],
    ["null", OTHER, (file: string) => writeFileSync(file, "null")],
    ["a link to a database", NO_FILE, linkToDatabase],
    ["a pipe", NO_FILE, (file: string) => void Bun.spawnSync(["mkfifo", file])],
    ["a link to a device", NO_FILE, (file: string) => symlinkSync("/dev/null", file)],
    ["a folder", NO_FILE, (file: string) => symlinkSync(newFolder(), file)],
  ] as const;

  test.each(PUT)("%s is not a ready file: refused and not removed", (_what, problem, put) => {
    const file = join(newFolder(), "ready.json");
    put(file);
    const before = statSync(file);
    expect(() => new ReadyFile(new TestIo(), "--ready-file", file, null)).toThrow(`--ready-file ${file} ${problem}`);
    const { ino, size } = statSync(file);
    expect({ ino, size }).toEqual({ ino: before.ino, size: before.size });
  });

  test.each(PUT)("%s that comes before the server is ready stays", (_what, problem, put) => {
    const file = join(newFolder(), "ready.json");
    const ready = new ReadyFile(new TestIo(), "--ready-file", file, null);
    put(file);
    const before = statSync(file);
    expect(() => ready.write({ pid: 1 })).toThrow(`--ready-file ${file} ${problem}`);
    expect(statSync(file).ino).toBe(before.ino);
    ready.remove();
    expect(statSync(file).ino).toBe(before.ino);
  });
});

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
  expect((await fetch(`${controlOrigin}/`, { method: "HEAD" })).status).toBe(200);
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

test("a server that drains closes each connection after its answer, on both listeners", async () => {
  const handle = async () => Response.json({});
  const handlers = { handle, handleApi: handle, handleControl: handle, refuse: handle };
  const basePaths = ["/v2"] as const;
  const { environment } = new TestIo();
  const listening = await listen(
    { host: "127.0.0.1", port: 0, controlPort: 0, basePaths, environment },
    handlers,
    () => {},
  );
  later(() => listening.stop(0));
  listening.drain();
  for (const origin of [listening.origin, listening.controlOrigin]) {
    expect((await fetch(origin)).headers.get("Connection")).toBe("close");
  }
});

test.concurrent("momo health says nothing and ends with 0 where a server serves, without the token and with a wrong one", async () => {
  const { at, baseUrl } = await startIn(newFolder(), { host: "0.0.0.0", controlToken: "a-control-token-of-ours" });
  const env = { MOMO_CONTROL_TOKEN: "wrong-wrong-wrong" };
  for (const run of [
    await runMomo(["health", ...at]),
    await runMomo(["health", "--base-url", baseUrl]),
    await runMomo(["health", "--base-url", baseUrl], { env }),
  ])
    expect(run).toEqual({ stdout: "", stderr: "", exitCode: 0 });
});

test.concurrent("momo health ends with 6 and one line where no server runs, was killed, is stopping, or is another program", async () => {
  const { at, kill } = await serveMomo();
  await kill();
  const draining = serveFake(() => Response.json({ success: false, message: "momo is stopping" }, { status: 503 }));
  const other = serveFake(() => new Response("hello"));
  for (const flags of [
    ["--data", join(newFolder(), "none")],
    at,
    ["--base-url", draining.baseUrl],
    ["--base-url", other.baseUrl],
  ]) {
    const run = await runMomo(["health", ...flags]);
    expectRefusal(run, 6, /^momo: /);
  }
});

const guide = readFileSync(join(import.meta.dir, "../../docs/llms.txt"), "utf8");

test("GET /llms.txt is docs/llms.txt as plain text, without credentials, on both listeners", async () => {
  const { baseUrl, controlUrl } = await startIn(newFolder(), { controlPort: 0 });
  for (const address of [baseUrl, controlUrl]) {
    const answer = await fetch(new URL("/llms.txt", address));
    expect(answer.status).toBe(200);
    expect(answer.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    expect(await answer.text()).toBe(guide);
  }
  const head = await fetch(new URL("/llms.txt", baseUrl), { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  const post = await fetch(new URL("/llms.txt", baseUrl), { method: "POST", body: "{}" });
  expect([post.status, post.headers.get("Allow")]).toEqual([405, "GET, HEAD"]);
  expect(await post.json()).toEqual({ success: false, message: "this path takes GET, HEAD only" });
});

test("the guide names every outcome of the network and every result code, and no other outcome", () => {
  const [, list = ""] = /^Outcomes \(.*?\): ([^.]*)\./ms.exec(guide) ?? [];
  const named = [...list.replaceAll(/\(.*?\)/gs, "").matchAll(/[a-z_]+/g)].map(([name]) => name);
  expect(named).toEqual(OUTCOMES.map(({ name }) => name));
  const [, codes = ""] = /^Result codes, .*?: ([^.]*)\./ms.exec(guide) ?? [];
  expect([...codes.matchAll(/\d+/g)].map(Number)).toEqual(Object.keys(RESULT_CODES).map(Number));
});
