import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { builtBinary } from "./binary.ts";
import { later, newFolder } from "./cleanup.ts";
import { cleanEnvironment } from "./momo.ts";

export type Answer = Record<string, unknown>;

/** `momo mcp`: the compiled executable, under the client of the protocol's own package. */
export async function assistant(env: Record<string, string> = {}, args: readonly string[] = []) {
  const client = new Client({ name: "test", version: "1" });
  const variables = { ...cleanEnvironment(newFolder()), ...env };
  await client.connect(
    new StdioClientTransport({ command: await builtBinary(), args: ["mcp", ...args], env: variables }),
  );
  later(() => client.close());
  const call = async (name: string, given: Answer = {}, options = {}) => {
    const { structuredContent, content, isError } = await client.callTool({ name, arguments: given }, options);
    const [first] = content as { text: string }[];
    return { answer: structuredContent as Answer, text: first?.text ?? "", isError: isError === true };
  };
  return { client, call };
}
