import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { builtBinary } from "../../support/binary.ts";
import { cleanUp, later, newFolder } from "../../support/cleanup.ts";
import { runToEnd } from "../../support/momo.ts";
import { describeWith } from "../../support/needs.ts";

/** The executable under the protocol's own conformance suite. */

afterAll(cleanUp);

const momo = await builtBinary();
const MODULES = join(import.meta.dir, "node_modules");
/** The suite needs Node 22. */
const node = join(MODULES, "node-24/bin/node");

/** Those that need no tool, resource or prompt of the suite's own. */
const SCENARIOS = ["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"];

type Message = { id?: number | string; method?: string };

/** The suite speaks HTTP only: each request goes to an executable's input, and its answer comes from the output. */
function serveOverHttp(): string {
  const child = Bun.spawn([momo, "mcp"], {
    env: { PATH: process.env.PATH ?? "", HOME: newFolder() },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const waiting = new Map<unknown, (line: string) => void>();
  void (async () => {
    let text = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (text + chunk).split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) waiting.get((JSON.parse(line) as Message).id)?.(line);
    }
  })();
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const message = (await request.json()) as Message;
      const { promise, resolve } = Promise.withResolvers<string>();
      if (message.id !== undefined) waiting.set(message.id, resolve);
      await child.stdin.write(`${JSON.stringify(message)}\n`);
      await child.stdin.flush();
      if (message.id === undefined) return new Response(null, { status: 202 });
      return new Response(await promise, { headers: { "Content-Type": "application/json" } });
    },
  });
  later(async () => {
    await server.stop(true);
    await child.stdin.end();
    await child.exited;
  });
  return `http://127.0.0.1:${server.port}/mcp`;
}

describeWith(["MCP checks"], "momo mcp", () => {
  test.each(SCENARIOS)("passes the conformance scenario %s", async (scenario) => {
    const command = [
      node,
      join(MODULES, ".bin/conformance"),
      "server",
      "--url",
      serveOverHttp(),
      "--scenario",
      scenario,
    ];
    const suite = await runToEnd(command, { env: { HOME: newFolder() } });
    expect(suite).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/\b0 failed/) });
  });
});
