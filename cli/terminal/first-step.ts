import { findRunning } from "../client/running.ts";
import { commandLines, print, printFields, printText, styled } from "./output.ts";
import { lineWidth } from "./standard-output.ts";
import { commandLine } from "./this-program.ts";

/** What `momo` prints without a command: where a sandbox runs, or how to start one, and the next step. */
export async function showFirstStep(): Promise<void> {
  const running = await findRunning();
  if (running) {
    printText(styled("bold", "momo"), " is running:");
    print();
    printFields([["console", running.consoleUrl] as const, ["API", running.baseUrl] as const], "  ");
    step("Make a payment:", "pay", "0712345678", "100", "--wait", ...running.flags);
    step("See what happens, in the browser:", "open", ...running.flags);
  } else {
    printText(
      styled("bold", "momo"),
      ", a mobile-money sandbox: the payment service, a simulated network and a client.",
    );
    step("Start the server first, and leave it running:", "serve");
    step("Then, in another terminal, make a payment:", "pay", "0712345678", "100", "--wait");
  }
  print();
  printText("momo --help lists all commands, and momo help COMMAND explains one.");
}

function step(text: string, ...words: string[]): void {
  print();
  printText(text);
  print();
  for (const line of commandLines(commandLine(...words), lineWidth())) print(line);
}
