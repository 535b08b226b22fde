import { afterAll, describe, expect, test } from "bun:test";
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findServer, headersNaming } from "../../cli/client/server.ts";
import { cleanUp, newFolder } from "../support/cleanup.ts";
import { serveFake } from "../support/fake-server.ts";
import { TestIo } from "../support/io.ts";
import { expectRefusal, openPlain, runMomo } from "../support/momo.ts";
import { type Sandbox, startIn } from "../support/sandbox.ts";

afterAll(cleanUp);

const portOf = (address: string) => Number(new URL(address).port);

/** A data directory whose server was killed: its record is still there, and its lock is not held. */
async function killed(): Promise<{ data: string; port: number; record: string }> {
  const data = newFolder();
  const file = join(data, "server.json");
  const sandbox = await startIn(data);
  const record = readFileSync(file, "utf8");
  await sandbox.stop();
  writeFileSync(file, record, { mode: 0o600 });
  return { data, port: portOf(sandbox.baseUrl), record };
}

/** What a sandbox has kept of its payments and of its requests. */
async function stateOf(sandbox: Sandbox): Promise<unknown> {
  const { requests, ...answer } = await sandbox.control("GET", "/requests");
  const rules = (await sandbox.control("GET", "/rules")).rules;
  return { payments: (await sandbox.control("GET", "/transactions")).pagination, rules, answer };
}

/** The commands that find their server by a directory; `phone` needs a terminal. */
const COMMANDS = [
  "reset --yes",
  "pay 0712345678 5",
  "pay 0712345678 5 --kind web",
  "status 1",
  "list",
  "answer 1 --pin 1234",
  "clock advance 1h",
  "rules clear",
  "default set cancelled",
  "faults add error",
  "snapshot save one",
  "webhooks resend 1",
  "audit",
  "open --print",
  "tail",
  "env",
  "health",
  "mcp",
];

const a = await killed();
const other = await startIn(newFolder(), { port: a.port });
await other.control("POST", "/rules", { outcome: "completed", match: { reference: "B" } });
await other.pay();
await other.pay();
const before = await stateOf(other);

describe("a server that has the port of a killed one gets no command that was meant for that", () => {
  test.concurrent.each(COMMANDS)("momo %s", async (line) => {
    const run = await runMomo([...line.split(" "), "--data", a.data]);
    expectRefusal(run, 6, `momo: no sandbox is running on ${a.data}\n      start one with momo serve`);
  });

  test.concurrent("momo phone", async () => {
    const { screen, exited } = openPlain(["phone", "--data", a.data], { columns: 500 });
    expect(await exited).toBe(6);
    expect(screen.text).toContain(`no sandbox is running on ${a.data}`);
  });

  test.concurrent("momo doctor says it, and momo shows no sandbox of this directory", async () => {
    const { stdout, exitCode } = await runMomo(["doctor", "--json", "--port", "0", "--data", a.data]);
    const { findings } = JSON.parse(stdout) as { findings: { check: string; finding: string; remedy: string }[] };
    const [found] = findings.filter(({ check }) => check === "server");
    expect([exitCode, found?.finding]).toEqual([0, expect.stringContaining("was killed; nothing is lost")]);
    expect((await runMomo([], { env: { MOMO_DATA: a.data } })).stdout).toContain("Start the server first");
  });

  test.concurrent("but one whose address is named gets it, and so does its own directory", async () => {
    const address = ["--base-url", other.baseUrl];
    for (const flags of [address, other.at])
      expect(await runMomo(["default", "show", "-q", ...flags], { env: { MOMO_DATA: a.data } })).toMatchObject({
        exitCode: 0,
      });
  });

  afterAll(async () => {
    expect(await stateOf(other)).toEqual(before);
  });
});

test.concurrent("what answers on the port of a killed server gets no request, and so no key", async () => {
  const { data, record, port } = await killed();
  const fake = serveFake(() => Response.json({ success: true, message: "thank you" }));
  writeFileSync(join(data, "server.json"), record.replaceAll(`:${port}/`, `:${fake.port}/`), { mode: 0o600 });
  for (const words of [["reset", "--yes"], ["pay", "0712345678", "5"], ["health"]])
    expectRefusal(await runMomo([...words, "--data", data]), 6, `no sandbox is running on ${data}`);
  expect(fake.requests).toEqual([]);
});

test.concurrent("another server at the address of the record refuses the request: 421 names both", async () => {
  const data = newFolder();
  const sandbox = await startIn(data);
  const file = join(data, "server.json");
  const { id } = JSON.parse(readFileSync(file, "utf8")) as { id: string };
  const elsewhere = readFileSync(file, "utf8").replaceAll(`:${portOf(sandbox.baseUrl)}/`, `:${a.port}/`);
  writeFileSync(file, elsewhere, { mode: 0o600 });
  const run = await runMomo(["reset", "--yes", "--data", data]);
  expectRefusal(
    run,
    6,
    `this server serves ${other.at[1]}, but the request is for another server (header X-Momo-Server): "${id}"`,
  );
  expect(await stateOf(other)).toEqual(before);
});

test.concurrent("a copied directory has no server, a moved one keeps it, and a server in the copy is its own", async () => {
  const data = join(newFolder(), "data");
  // It reports that its folder was moved, if it looks in that moment.
  const sandbox = await startIn(data, { reportFault: () => {} });
  await sandbox.pay();
  const copy = join(newFolder(), "copy");
  cpSync(data, copy, { recursive: true });
  for (const words of [["reset", "--yes"], ["list"], ["mcp"], ["health"]])
    expectRefusal(await runMomo([...words, "--data", copy]), 6, `no sandbox is running on ${copy}`);
  const moved = join(newFolder(), "moved");
  renameSync(data, moved);
  expect((await runMomo(["list", "-q", "--data", moved])).stdout).toBe("1\n");
  renameSync(moved, data);
  const second = await startIn(copy);
  expect((await runMomo(["reset", "--yes", ...second.at])).exitCode).toBe(0);
  expect(await sandbox.list()).toHaveLength(1);
});

test.concurrent("of two servers on one path, each removes its own record only", async () => {
  const data = join(newFolder(), "data");
  const older = await startIn(data, { reportFault: () => {} }); // as above
  rmSync(data, { recursive: true });
  const newer = await startIn(data);
  await older.stop().catch(() => {}); // its database is gone
  expect((await runMomo(["health", ...newer.at])).exitCode).toBe(0);
});

test.concurrent("421 for another server: on both ports and for every path, before anything is done; the own id passes", async () => {
  const sandbox = await startIn(newFolder(), { controlPort: 0, controlToken: "a-token-of-this-server" });
  const open = await startIn(newFolder());
  const { id } = (await (await fetch(`${open.controlUrl}/health`)).json()) as { id: string };
  expect(id).toMatch(/^[0-9A-Z]{26}$/);
  const ask = async (address: string, header: string) => {
    const response = await fetch(address, { method: "POST", headers: { "X-Momo-Server": header } });
    return [response.status, await response.json()];
  };
  const message = (serves: string) =>
    `this server serves ${serves}, but the request is for another server (header X-Momo-Server): "ANOTHER"`;
  for (const address of [`${open.baseUrl}/stkpush.php`, `${open.controlUrl}/reset`, `${open.origin}/llms.txt`]) {
    expect(await ask(address, "ANOTHER")).toEqual([421, { success: false, message: message(open.at[1]) }]);
    expect((await ask(address, id))[0]).not.toBe(421);
  }
  // Where the control API needs a token, the path of the directory is not shown without it.
  for (const address of [`${sandbox.baseUrl}/stkpush.php`, `${sandbox.controlUrl}/reset`])
    expect(await ask(address, "ANOTHER")).toEqual([421, { success: false, message: message("another directory") }]);
});

const token = "the-token-of-this-sandbox";
const one = await startIn(newFolder(), { controlToken: token });
const apart = await startIn(newFolder(), { controlToken: token, controlPort: 0, host: "::" });

describe("one server by several names, and an address that is not its own", () => {
  const ported = (name: string, { baseUrl }: Sandbox) => `http://${name}:${portOf(baseUrl)}`;

  test.concurrent.each([
    ["127.0.0.1", one],
    ["localhost", one],
    ["127.0.0.1", apart],
    ["localhost", apart],
    ["[::1]", apart],
  ] as const)("%s: the token and the control address of the record count", async (name, sandbox) => {
    for (const end of ["/v2", "/api/v2", ""]) {
      const flags = ["--base-url", ported(name, sandbox) + end, ...sandbox.at];
      expect(await runMomo(["clock", "show", "-q", ...flags])).toMatchObject({ exitCode: 0, stderr: "" });
    }
    const env = { MOMO_CONTROL_URL: `http://[::1]:${portOf(sandbox.controlUrl)}/_momo` };
    expect(await runMomo(["clock", "show", "-q", ...sandbox.at], { env })).toMatchObject({ exitCode: 0, stderr: "" });
  });

  test.concurrent("an address of a flag counts, also with the data directory of another server", async () => {
    const env = { MOMO_CONTROL_TOKEN: token };
    const flags = ["--base-url", one.baseUrl, ...apart.at];
    expect((await runMomo(["clock", "show", "-q", ...flags], { env })).exitCode).toBe(0);
  });
});

test("a server that was started again is named by its new id", async () => {
  const data = newFolder();
  const first = await startIn(data);
  const server = findServer(new TestIo(), { data }, null);
  const idOf = async ({ controlUrl }: Sandbox) =>
    ((await (await fetch(`${controlUrl}/health`)).json()) as { id: string }).id;
  expect(headersNaming(server)).toMatchObject({ "X-Momo-Server": await idOf(first) });
  await first.stop();
  expect(() => headersNaming(server)).toThrow(`no sandbox is running on ${data}`);
  const second = await startIn(data);
  expect(headersNaming(server)).toMatchObject({ "X-Momo-Server": await idOf(second) });
});
