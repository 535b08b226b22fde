import { afterAll, describe, expect, test } from "bun:test";
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { lineOf, type Piece } from "../../cli/terminal/output.ts";
import { requestLine } from "../../cli/terminal/server-log.ts";
import type { AnsweredRequest } from "../../sandbox/request-log.ts";
import { builtBinary, ROOT } from "../support/binary.ts";
import { cleanUp, newFolder, newProgramFolder } from "../support/cleanup.ts";
import {
  expectRefusal,
  KEYS,
  openMomo,
  openPlain,
  PROGRAM,
  type ReadyRecord,
  type RunOptions,
  runMomo,
  runToEnd,
  type Served,
  serveMomo,
  shownLines,
  startMomo,
} from "../support/momo.ts";
import { SLACK_MS, until } from "../support/waiting.ts";

afterAll(cleanUp);

const ORDER = { payment_account_id: 1, phone: "0712345678", amount: 5 };
/** Only --accept lenient accepts this. */
const AMOUNT_IN_TEXT = { ...ORDER, amount: "5" };

/** sessions/serving.txt has the lines of single requests. */
describe("without a flag, a line for each refused request", () => {
  const refusedIn = ({ child }: Served) => child.stderr.text.trimEnd().split("\n");

  test.concurrent("a stop in the same second does not lose the count", async () => {
    const server = await serveMomo();
    await Promise.all(Array.from({ length: 60 }, () => server.get("/nothing")));
    await server.stop();
    const told = refusedIn(server).map((line) => Number(/second: (\d+) with 404/.exec(line)?.[1] ?? 1));
    expect(told.reduce((sum, count) => sum + count, 0)).toBe(60);
  });
});

describe("at a terminal", () => {
  async function serveAtTerminal(...flags: string[]) {
    const file = join(newFolder(), "ready.json");
    const session = openMomo(["serve", "--ephemeral", "--port", "0", "--ready-file", file, ...flags]);
    await session.screen.until(/Ready/);
    const ready = JSON.parse(readFileSync(file, "utf8")) as ReadyRecord;
    const headers = {
      "X-API-Key": ready.api_key,
      "X-API-Secret": ready.api_secret,
      "Content-Type": "application/json",
    };
    const body = JSON.stringify(AMOUNT_IN_TEXT);
    expect((await fetch(`${ready.base_url}/stkpush.php`, { method: "POST", headers, body })).status).toBe(400);
    return { ...session, ready, headers };
  }

  test.concurrent("a line is in colour, and gives the hint too", async () => {
    const { screen, ready, headers } = await serveAtTerminal("--log", "requests");
    await screen.until(
      /\d\d:\d\d:\d\d {2}\S*400\S* {2}POST {2}\/v2\/stkpush\.php [\s\S]*--accept\s+lenient\s+would\s+take/,
    );
    expect(screen.text).toContain("\u001b[33m400");
    const body = JSON.stringify(ORDER);
    for (const outcome of ["refused", "completed"]) {
      await fetch(`${ready.base_url}/stkpush.php`, {
        ...{ method: "POST", headers: { ...headers, "X-Sandbox-Outcome": outcome }, body },
      });
    }
    await screen.until(/\[32m200/);
    expect(screen.text).toContain("\u001b[31m500");
  });

  test.concurrent("a log in a file has no colours", async () => {
    const file = join(newFolder(), "log");
    const program = ["sh", "-c", `exec "$@" 2>'${file}'`, "sh", ...PROGRAM];
    const { screen } = openMomo(["serve", "--ephemeral", "--port", "0", "--log", "requests"], { program });
    const [, address = ""] = await screen.until(/(http:\S+\/v2)[\s\S]*Ready/);
    await fetch(`${address}/nothing`);
    const read = async () => readFileSync(file, "utf8");
    expect(await until(read, (text) => text.includes("404"))).not.toContain("\x1b");
    expect(screen.text).toContain("\x1b[1m");
  });

  test.concurrent("--quiet silences the log, also with --log and --log-format", async () => {
    const { screen, ready, exited } = await serveAtTerminal("--quiet", "--log", "requests", "--log-format", "json");
    process.kill(ready.pid, "SIGTERM");
    expect(await exited).toBe(0);
    expect(screen.text).not.toContain("stkpush");
    expect(screen.text.split(/\s+/).join(" ")).toEndWith(`stopped; 0 payments forgotten with ${ready.data} `);
  });
});

describe("the reader of the log", () => {
  /** Serves with stderr on a pipe that the shell sets up. */
  const serveWith = (redirection: string) =>
    serveMomo(["--log-format", "json"], {
      program: ["sh", "-c", `mkfifo pipe; exec ${redirection}; exec "$@"`, "sh", ...PROGRAM],
    });

  async function callOften({ ready }: Served, count: number): Promise<void> {
    const path = `/${"long".repeat(50)}`;
    for (let call = 0; call < count; call += 1) expect((await fetch(ready.base_url + path)).status).toBe(404);
  }

  test.concurrent("may go away, and the server goes on", async () => {
    // Only the write end of the pipe stays open.
    const server = await serveWith("3<>pipe 2>pipe 3>&-");
    await callOften(server, 3);
    await Bun.sleep(50); // a line is written up to 10 ms after its request
    await callOften(server, 3);
    expect(await server.stop()).toBe(0);
  });

  test.concurrent("may stop reading: the server goes on, and still ends within 3 s", async () => {
    const server = await serveWith("2<>pipe");
    const pipeBytes = 64 * 1024;
    await callOften(server, pipeBytes / 200);
    const startedMs = performance.now();
    await server.stop();
    expect(performance.now() - startedMs).toBeLessThan(3000 + SLACK_MS);
  });
});

const FROM_SOURCE = [process.execPath, "--no-env-file", join(ROOT, "cli/main.ts")];

/** Starts a server, and returns the three commands that it prints for people to try. */
async function printedBy(args: string[], options: RunOptions): Promise<{ pay: string; cancel: string; phone: string }> {
  const { stdout } = startMomo(["serve", "--port", "0", "--after", "0s", ...args], options);
  await stdout.until(/Ready\. Ctrl\+C stops\.\n$/);
  const lines = stdout.text.matchAll(/ # .*\n {2}(\S.*)\n/g);
  const [pay = "", cancel = "", phone = ""] = [...lines].map(([, line]) => line);
  return { pay, cancel, phone };
}

/** Pastes a line into a shell, and polls more often than every 3 s. */
const paste = (line: string, options: RunOptions) => runToEnd(["sh", "-c", `${line} --interval 50ms`], options);

const folder = join(newFolder(), 'it\'s a "folder" with $HOME & `id`; ünïcode');
const home = { XDG_DATA_HOME: join(newFolder(), "share") };

test.concurrent.each([
  ["with --data, whatever the folder is called", ["--data", folder], {}, {}, true],
  ["in a terminal without the MOMO_DATA of this one", [], { MOMO_DATA: join(newFolder(), "data") }, {}, true],
  ["without a flag, if commands find the data directory anyway", [], home, home, false],
] as [string, string[], Record<string, string>, Record<string, string>, boolean][])(
  "the printed commands work when pasted, %s",
  async (_where, args, ofServer, env, isNamed) => {
    const { pay, cancel, phone } = await printedBy(args, { env: ofServer });
    expect(pay.includes("--data")).toBe(isNamed);
    const cwd = newFolder();
    const paid = await paste(pay, { cwd, env });
    expect(paid).toMatchObject({ stderr: "", exitCode: 0 });
    expect(JSON.parse(paid.stdout)).toMatchObject({ status: "completed", amount: 100 });
    // The same command, to a customer who cancels.
    expect(cancel).toBe(pay.replace("0712345678", "254700000032"));
    const customer = openMomo([], { cwd, env, program: ["sh", "-c", phone] });
    await customer.screen.until(/Waiting for a prompt/);
    customer.type("\x03");
    expect(await customer.exited).toBe(0);
  },
);

test.concurrent("from source, too, the printed momo pay works in any folder, and Bun reads no configuration there", async () => {
  const data = join(newFolder(), "data");
  const { pay } = await printedBy(["--data", data], { program: FROM_SOURCE, cwd: ROOT });
  const cwd = newFolder();
  writeFileSync(join(cwd, "bunfig.toml"), 'preload = ["./nothing.ts"]\n');
  writeFileSync(join(cwd, ".env"), "MOMO_BASE_URL=http://127.0.0.1:1/v2\n");
  expect(await paste(pay, { cwd })).toMatchObject({ stderr: "", exitCode: 0 });
  const link = join(cwd, "linked momo");
  symlinkSync(join(ROOT, "bin/momo"), link);
  const run = await runToEnd([link, "status", "two words"], { cwd });
  expect(run).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('it is "two words"') });
});

test.concurrent("the printed momo pay works below a home folder, also where the name of a folder has a space", async () => {
  const HOME = newProgramFolder();
  const program = join(HOME, "my tools/momo");
  mkdirSync(join(HOME, "my tools"));
  linkSync(await builtBinary(), program);
  const { pay } = await printedBy(["--data", join(newFolder(), "data")], { program: [program], env: { HOME } });
  expect(await paste(pay, { env: { HOME } })).toMatchObject({ stderr: "", exitCode: 0 });
});

test.concurrent.each([
  ["bin", "the executable", true],
  ["bin", "the source", true],
  ["node_modules/.bin", "the executable", false], // npm's folder is on the path of its scripts only
] as const)("with momo in the folder %s of the path, %s calls itself momo: %p", async (name, what, isByName) => {
  const binary = await builtBinary();
  const path = join(newFolder(), name);
  mkdirSync(path, { recursive: true });
  symlinkSync(binary, join(path, "momo"));
  const program = what === "the source" ? FROM_SOURCE : [binary];
  const args = ["mcp", "--config", "claude"];
  const { stdout } = await runMomo(args, { env: { PATH: `${path}:${process.env.PATH}` }, program });
  expect(JSON.parse(stdout).mcpServers.momo.command === "momo").toBe(isByName);
});

describe("for a person momo serve", () => {
  test.concurrent("prints its version, each payment when it starts and when it ends, what it refuses, and at the end what it keeps", async () => {
    const data = join(newFolder(), "data");
    const { screen, type, exited } = openPlain(["serve", "--port", "0", "--data", data], { columns: 60 });
    await screen.until(/^momo \d+\.\d+\.\d+\S*, a mobile-money sandbox, ready in \d+ ms\r\n[\s\S]*console[\s\S]*Ready/);
    for (const outcome of ["completed", "wrong_pin"]) {
      await runMomo(["pay", "0712345678", "100", "--outcome", `${outcome}; after=0ms`, "--data", data]);
    }
    await screen.until(/#1 ✓ paid [0-9A-Z]{10}/);
    await screen.until(/#2 • asks the customer[\s\S]*#2 ✗ wrong PIN \(2001\)/);
    const payments = shownLines(screen.text).filter((line) => /#[12] /.test(line));
    for (const line of payments) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(60);
    expect(screen.text).not.toContain("POST");
    expectRefusal(await runMomo(["status", "9", "--data", data]), 3, "there is no transaction");
    await screen.until(/ 404 {2}GET {3}\/v2\/transactions\.php/);
    type(KEYS.ctrlC);
    expect(await exited).toBe(0);
    // A long path goes on in the next line.
    expect(screen.text.replaceAll("\r\n", " ")).toEndWith(`stopped; 2 payments kept in ${data} `);
  });

  test.concurrent.each(["0.0.0.0", "::"])(
    "shows requests with --log requests; with --host %s the addresses for other machines",
    async (host) => {
      const words = "serve --port 0 --ephemeral --log requests --base-path /".split(" ");
      const { screen } = openPlain([...words, "--host", host]);
      const [, address = ""] = await screen.until(/API +(\S+)\r\n[\s\S]*Ready/);
      const interfaces = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
      for (const { address: other, internal, family } of interfaces) {
        if (internal || family !== "IPv4") continue;
        expect(screen.text).toContain(`others use       ${address.replace(new URL(address).hostname, other)}\r\n`);
      }
      await fetch(`${address}/nothing`);
      await screen.until(/404 {2}GET/);
    },
  );
});

const REFUSED = { method: "GET", target: "/v2/", status: 401, durationMs: 1, said: {}, fault: null, leniencies: [] };
const KEY = `mk_${"a".repeat(24)}`;
const SECRET = `ms_${"b".repeat(40)}`;

test.each([
  [{}, "X-API-Key is missing, X-API-Secret is missing"],
  [{ "X-API-Key": KEY }, "X-API-Secret is missing"],
  [{ "X-API-Key": "", "X-API-Secret": SECRET }, "X-API-Key is empty"],
  [
    { "X-API-Key": `Bearer ${KEY}`, "X-API-Secret": `"${SECRET}"` },
    'X-API-Key begins with "Bearer", X-API-Secret is in quotes',
  ],
  [{ "X-API-Key": `${KEY} x`, "X-API-Secret": SECRET }, "X-API-Key has white space in it"],
  [{ "X-API-Key": "$MOMO_API_KEY", "X-API-Secret": SECRET }, "X-API-Key is not mk_ and 16 to 64 letters and digits"],
  [{ "X-API-Key": KEY, "X-API-Secret": KEY }, "X-API-Secret is not ms_ and 32 to 128 letters and digits"],
  [{ "X-API-Key": KEY, "X-API-Secret": SECRET }, "the form of both headers is right"],
])("the log of a 401 with %p says: %s", (headers, credentials) => {
  const sent = new Headers(headers as Record<string, string>);
  const request = { ...REFUSED, isDelivered: true, headers: sent } as unknown as AnsweredRequest;
  const line = (pieces: readonly Piece[]) => lineOf(pieces, () => false);
  expect(JSON.parse(requestLine({ format: "json", line }, request, 0)).credentials).toBe(credentials);
  expect(requestLine({ format: "pretty", line }, request, 0)).toEndWith(`  (${credentials})`);
});
