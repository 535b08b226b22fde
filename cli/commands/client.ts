import { Argument } from "commander";
import javascript from "../../clients/client.mjs" with { type: "text" };
import php from "../../clients/client.php" with { type: "text" };
import python from "../../clients/client.py" with { type: "text" };
import type { Io } from "../io.ts";
import { Command } from "../terminal/command.ts";

/** The clients that people copy into their programs, by language. */
const CLIENTS = { js: javascript, php, python } as const;

export function clientCommand(io: Io): Command {
  const language = new Argument("<language>", "of the program").choices(Object.keys(CLIENTS));
  return new Command("client")
    .addArgument(language)
    .action((chosen: keyof typeof CLIENTS) => io.stdout.write(CLIENTS[chosen]));
}
