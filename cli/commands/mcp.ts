import { Option } from "commander";
import { type TargetFlags, wordsFor } from "../client/target.ts";
import type { Io } from "../io.ts";
import { Command } from "../terminal/command.ts";
import { EXIT } from "../terminal/failure.ts";
import { serverOptions, withOptions } from "../terminal/options.ts";
import { programFile } from "../terminal/this-program.ts";

const EDITORS = ["claude", "vscode", "cursor"] as const;

export function mcpCommand(io: Io): Command {
  const command = new Command("mcp").addOption(
    new Option("--config <editor>", "print what to paste into the editor's settings").choices(EDITORS),
  );
  return withOptions(command, ...serverOptions()).action((flags: McpFlags) => mcp(io, flags));
}

interface McpFlags extends TargetFlags {
  readonly config?: (typeof EDITORS)[number];
}

async function mcp(io: Io, { config, ...flags }: McpFlags): Promise<void> {
  if (config !== undefined) {
    const { apiSecret, ...shown } = flags;
    const [, ...args] = wordsFor(shown, "mcp");
    const env = apiSecret === undefined ? undefined : { MOMO_API_SECRET: apiSecret };
    const server = { ...(config === "vscode" && { type: "stdio" }), command: programFile(io.environment), args, env };
    io.printJson({ [config === "vscode" ? "servers" : "mcpServers"]: { momo: server } });
    return;
  }
  // Only a server loads this. --config, the help and completions do not need it: loading it takes 30 of the 74 ms of `momo complete`.
  const [{ connect }, { serveAssistant }] = await Promise.all([
    import("../mcp/connection.ts"),
    import("../mcp/server.ts"),
  ]);
  const connection = await connect(io, flags);
  try {
    await serveAssistant(io, connection);
    if (connection.target === null) io.exitCode = EXIT.unreachable;
  } finally {
    await connection.stop();
  }
}
