import { afterAll, expect, test } from "bun:test";
import { bounded } from "../../cli/mcp/tools.ts";
import { builtBinary } from "../support/binary.ts";
import { cleanUp, later, newFolder } from "../support/cleanup.ts";
import { cleanEnvironment } from "../support/momo.ts";

/** The lines that `momo mcp` reads, and the answers that it gives. */

afterAll(cleanUp);

const momo = await builtBinary();

test("a line that is no message, or too long, is answered with an error, and so is one wait too many; the others go on", async () => {
  const env = cleanEnvironment(newFolder());
  const child = Bun.spawn([momo, "mcp"], { env, stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  later(() => {
    child.kill();
    return child.exited;
  });
  const send = (...messages: unknown[]) =>
    void child.stdin.write(messages.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`).join(""));
  const call = (id: number, name: string, given: object) => ({
    ...{ jsonrpc: "2.0", id, method: "tools/call" },
    params: { name, arguments: given },
  });
  const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
  send(
    { jsonrpc: "2.0", id: 1, method: "initialize", params },
    { jsonrpc: "2.0", method: "notifications/initialized" },
  );
  send(
    "x".repeat(1024 * 1024 + 1),
    "{",
    [],
    {},
    call(2, "z".repeat(201), {}),
    call(5, "\u202e", {}),
    call(6, "clock", []),
    {
      jsonrpc: "2.0",
      id: 3,
      method: "ping",
    },
  );
  for (let id = 100; id < 151; id += 1) send(call(id, "wait_for_payment", { reference: "none", timeout: "1h" }));
  send(call(4, "clock", { action: "show" }));
  let lines = "";
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
    lines += chunk;
    if (/"id":4}\n/.test(lines) && lines.includes("under way")) break;
  }
  for (const part of [
    '"id":null,"error":{"code":-32600,"message":"a message must have at most 1048576 bytes; it has 1048577"}',
    '"id":null,"error":{"code":-32700,"message":"a line is not JSON"}',
    '"a line is not one message of JSON-RPC 2.0"',
    '"id":2,"error":{"code":-32602,"message":"a name must have at most 200 visible characters"}',
    '"id":5,"error":{"code":-32602,"message":"a name must have at most 200 visible characters"}',
    '"id":6,"error":{"code":-32602,"message":"arguments must be an object; it is an array"}',
    "50 waits are under way, the most at once",
  ])
    expect(lines).toContain(part);
  expect(lines.match(/50 waits are under way/g)).toHaveLength(1);
});

test("a long list is cut to a bounded answer that says how many entries are left out", () => {
  const rules = Array.from({ length: 1000 }, (_, n) => ({ match: { reference: `ORDER-${n}` }, outcome: "cancelled" }));
  const answer = bounded({ message: "", rules }) as { rules: object[]; entries_left_out: { rules: number } };
  expect(JSON.stringify(answer).length).toBeWithin(5000, 15_000);
  expect(answer.rules[0]).toEqual(rules[0]);
  expect(answer.rules.length + answer.entries_left_out.rules).toBe(1000);
});

test("characters that nobody sees reach an assistant as their escapes", () => {
  const text = String.raw`A\u202eB\udb40\udc41\u001bC`;
  expect(bounded({ list: [{ reference: "A\u202eB\u{E0041}\u001bC" }], message: "two\nlines" })).toEqual({
    list: [{ reference: text }],
    message: "two\nlines",
  });
});
