import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { cleanUp } from "../support/cleanup.ts";
import { runToEnd, type Served, serveMomo } from "../support/momo.ts";

/** A real server whose log is full of what grows most when it is written out, as JSON and in a head. */
let server: Served;
beforeAll(async () => {
  server = await serveMomo();
  const { api_key, api_secret } = server.ready;
  const headers = {
    "X-API-Key": api_key,
    "X-API-Secret": api_secret,
    "Content-Type": "application/json",
    "X-Pad": '"'.repeat(12_000),
  };
  const body = "\u0001".repeat(64 * 1024);
  for (let count = 0; count < 600; count++) {
    const answer = await fetch(`${server.ready.base_url}/status.php`, { method: "POST", headers, body });
    expect(answer.status).toBe(400);
  }
});
afterAll(cleanUp);

/** Asks, and does not read the answer that arrives. */
async function askAndStall(path: string): Promise<Socket> {
  const { hostname, port, host } = new URL(server.ready.control_url);
  const socket = connect(Number(port), hostname);
  socket.write(`GET /_momo${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  await once(socket, "readable");
  return socket;
}

async function memoryMb(): Promise<number> {
  const { stdout } = await runToEnd(["ps", "-o", "rss=", "-p", String(server.ready.pid)]);
  return Number(stdout) / 1024;
}

describe("calls with 64 KB of control characters in their bodies", () => {
  // Before answers had a bound this took 4.8 GB; now each of the 75 pages may be a megabyte, and be there as text and as bytes.
  test("25 clients that ask for the log, each way, and do not read the answer cost less than 300 MB", async () => {
    const before = await memoryMb();
    const paths = ["/requests", "/requests?format=curl", "/requests?after=0", "/events?since=UNKNOWN-1"];
    const stalled = await Promise.all(paths.flatMap((path) => Array.from({ length: 25 }, () => askAndStall(path))));
    expect((await memoryMb()) - before).toBeLessThan(300);
    for (const socket of stalled) socket.destroy();
  });
});
