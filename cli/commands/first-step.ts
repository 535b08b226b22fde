import { readOrNull } from "../../src/domain/read-or-null.ts";
import { controlClient } from "../client/client.ts";
import { type ControlTarget, resolveControl } from "../client/target.ts";
import { print, printCommand, printFields, printText, styled } from "../terminal/output.ts";
import { commandLine } from "../terminal/this-program.ts";

/** How long the server may take: a busy machine must not make it look stopped. One that was killed is known at once. */
const TIMEOUT_MS = 5000;

/** The sandbox of the usual data directory. */
async function findRunning(): Promise<ControlTarget | null> {
  const control = readOrNull(() => resolveControl({}, {}));
  if (!control) return null;
  return controlClient(control)
    .get("/health", {}, { timeoutMs: TIMEOUT_MS })
    .then(
      () => control,
      () => null,
    );
}

/** What `momo` prints without a command: where a sandbox runs, or how to start one, and the next step. */
export async function showFirstStep(): Promise<void> {
  const running = await findRunning();
  if (running) {
    printText(styled("bold", "momo"), " is running:");
    print();
    printFields([["console", `${running.controlUrl}/`] as const, ["API", running.server.address] as const], "  ");
    step("Make a payment:", "pay", "0712345678", "100", "--wait");
    step("See what happens, in the browser:", "open");
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
  printCommand(commandLine(...words));
}
