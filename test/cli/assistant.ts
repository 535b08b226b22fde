import { readdirSync } from "node:fs";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { builtBinary } from "../support/binary.ts";
import { later, newFolder } from "../support/cleanup.ts";
import { cleanEnvironment } from "../support/momo.ts";
import { inTime } from "../support/waiting.ts";

export type Answer = Record<string, unknown>;

export interface Assistant {
  readonly client: Client;
  call(name: string, given?: Answer, options?: object): Promise<{ answer: Answer; text: string; isError: boolean }>;
}

/** `momo mcp`: the compiled executable, under the client of the protocol's own package. */
export async function assistant(env: Record<string, string> = {}, args: readonly string[] = []): Promise<Assistant> {
  const client = new Client({ name: "test", version: "1" });
  const variables = { ...cleanEnvironment(newFolder()), ...env };
  await client.connect(
    new StdioClientTransport({ command: await builtBinary(), args: ["mcp", ...args], env: variables }),
  );
  later(() => client.close());
  const call = async (name: string, given: Answer = {}, options = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: given }, options);
    const [first] = content as { text: string }[];
    const text = first?.text ?? "";
    // A refusal is a sentence.
    return { answer: (isError ? undefined : JSON.parse(text)) as Answer, text, isError: isError === true };
  };
  return { client, call };
}

/** `momo mcp` as a process, whose lines the test writes and reads; a session of an older version of the protocol is open. */
export async function startSession() {
  const env = cleanEnvironment(newFolder());
  const child = Bun.spawn([await builtBinary(), "mcp"], { env, stdin: "pipe", stdout: "pipe", stderr: "inherit" });
  later(() => {
    child.kill();
    return child.exited;
  });
  const reader = child.stdout.getReader();
  let output = "";
  const say = async (...messages: unknown[]) => {
    const lines = messages.map((one) => `${typeof one === "string" ? one : JSON.stringify(one)}\n`);
    await child.stdin.write(lines.join(""));
    await child.stdin.flush();
  };
  /** All that it has written, when that matches. */
  const until = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(output)) {
      const { value, done } = await inTime(reader.read(), () => `no ${pattern} in: ${output}`);
      if (done) throw new Error(`no ${pattern} in: ${output}`);
      output += Buffer.from(value).toString();
    }
    return output;
  };
  const params = { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "old", version: "1" } };
  await say({ jsonrpc: "2.0", id: "session", method: "initialize", params });
  await until(/"id":"session"/);
  return { child, reader, say, until, left: () => readdirSync(env.TMPDIR ?? "") };
}
